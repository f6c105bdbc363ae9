// A source's macros that a compile option sets, or could set if an #ifndef were added. Reads directives without
// evaluating them, so all branches of an #if are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct SourceMacro {
  std::string name;
  std::optional<std::int64_t> initial; // the macro's integer value in the source
  std::string meaning;                 // the // comment after its first definition
  bool is_defined = false;             // the source defines it, with any content
  bool is_guarded = false; // whether an #ifndef precedes the definition, so that an option can set the macro
  bool is_tested = false;  // whether an #if reads its value
  bool takes_arguments = false;
};

// Returns each macro once, in the order of the text. Leaves out header guards (a #define without content), and macros
// reserved for the language, the compiler or the CUDA Toolkit.
std::vector<SourceMacro> source_macros(std::string_view source);

// Whether the source uses the macro. Its #define, #undef, #ifdef and #ifndef lines are not uses.
bool reads_macro(std::string_view source, std::string_view name);

// Proposes values to try, from the macro's value `initial`: that value and its neighbours, or only that value if it
// does not suggest others.
std::vector<std::int64_t> propose_values(const SourceMacro& macro);

// Returns the source with an #ifndef around each #define of `name`, so that a compile option can set its value.
std::string with_guard(std::string_view source, std::string_view name);

} // namespace warptune

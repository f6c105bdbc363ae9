// The macros of a source that compile options set, or could set after an #ifndef is added. Reads directives without
// evaluating them, so code between #if and #endif counts too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct SourceMacro {
  std::string name;
  std::optional<std::int64_t> initial; // its integer value in the source
  std::string meaning;                 // the // comment after its first definition
  bool is_defined = false;             // the source defines it, with any content
  bool is_guarded = false;             // the source defines it only if it is not defined yet: #ifndef, #define
  bool is_tested = false;              // #if reads its value
  bool takes_arguments = false;
};

// Returns each macro once, in the order of the text, except header guards (#define without content) and macros reserved
// for the language, the compiler or the CUDA Toolkit.
std::vector<SourceMacro> source_macros(std::string_view source);

// Whether the source uses the macro for more than defining it or asking whether it is defined.
bool reads_macro(std::string_view source, std::string_view name);

// Returns values to try for a macro whose current value is `initial`: that value and its neighbours. Returns only
// `initial` if the value suggests no others.
std::vector<std::int64_t> propose_values(const SourceMacro& macro);

// Returns the source with #ifndef around each #define of `name`, so that a compile option can replace its value.
std::string with_guard(std::string_view source, std::string_view name);

} // namespace warptune

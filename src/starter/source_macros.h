// The macros of a source that can be set from outside, and those that could be. Reads directives without evaluating
// them: what is between #if and #endif counts as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct SourceMacro {
  std::string name;
  std::optional<std::int64_t> initial; // the integer that the source gives it
  std::string meaning;                 // the // comment behind its first definition
  bool is_defined = false;             // the source defines it, with whatever content
  bool is_guarded = false;             // the source defines it only if nobody did before: #ifndef, #define
  bool is_tested = false;              // #if reads its value
  bool takes_arguments = false;
};

// In the order of the text, each once, without macros reserved for the language, the compiler or the CUDA Toolkit and
// without guards of headers (#define without content).
std::vector<SourceMacro> source_macros(std::string_view source);

// Values to try for a macro whose present value is `initial`: that value and its neighbours. Only one value if it gives
// no reason for others.
std::vector<std::int64_t> propose_values(const SourceMacro& macro);

// The source with #ifndef around each #define of `name`, so that a compile option can replace it.
std::string with_guard(std::string_view source, std::string_view name);

} // namespace warptune

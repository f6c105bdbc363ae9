// The types of a kernel's parameters as the compiler sees them, after macros, includes, typedefs and template
// arguments. Needs NVRTC.
#pragma once

#include "core/dtype.h"
#include "core/result.h"
#include "spec/source_files.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct ParameterType {
  std::string cpp; // "float const*"
  bool is_pointer = false;
  bool is_const = false;      // whether the pointer's target is const
  std::optional<DType> dtype; // an element's dtype; nullopt: spec.json cannot describe the type
  int lanes = 1;              // elements of a vector type: 4 for float4
  bool operator==(const ParameterType&) const = default;
};

// Returns the types in a list such as "float const*, int". Pure.
std::vector<ParameterType> parameter_types(std::string_view list);

struct KernelSignatureQuery {
  const SourceFiles& sources;      // [0]: the file with the kernel; then its headers
  std::string kernel;              // "ns::scale<float, 4>"
  std::vector<std::string> macros; // "BLOCK=64"
  std::string arch;                // "sm_90a"
};

// The types or, if the compile failed, the compiler's log.
struct KernelSignature {
  std::vector<ParameterType> parameters;
  std::string log; // empty: the source compiled
};
Result<KernelSignature> read_signature(const KernelSignatureQuery& query);

// Returns the names that the log reports as undefined, each once, in the order of the log.
std::vector<std::string> undefined_names(std::string_view log);

} // namespace warptune

// Finds the facts that only the source text of a kernel states: the names of its parameters and template parameters.
// Their types come from the compiler (signature.h). Reads the text without preprocessing it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct TemplateParameter {
  std::string name;
  bool is_type = false, is_bool = false;
  std::string initial; // the default argument; empty: none
};

struct KernelText {
  std::string name;
  std::vector<std::string> parameters; // names of the parameters; "arg2" if the third parameter has no name
  std::vector<TemplateParameter> template_parameters;
};

// Returns all declarations and definitions of __global__ functions, in the order of the text.
std::vector<KernelText> find_kernels(std::string_view source);

} // namespace warptune

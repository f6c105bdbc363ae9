// Reads facts about kernels that only the source text contains: names of parameters and template parameters. Types come
// from the compiler (signature.h). Reads text without preprocessing it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct TemplateParameter {
  std::string name;
  bool is_type = false, is_bool = false;
  std::string initial; // its default argument; empty: it has none
};

struct KernelText {
  std::string name;
  std::vector<std::string> parameters; // their names; "arg2" for one without a name
  std::vector<TemplateParameter> template_parameters;
};

// The declarations and definitions of __global__ functions, in the order of the text.
std::vector<KernelText> find_kernels(std::string_view source);

} // namespace warptune

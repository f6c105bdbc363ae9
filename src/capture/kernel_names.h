// Demangles names of kernels. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct KernelName {
  std::string full;                            // "ns::scale<float, 4>", without parameters and return type
  std::string base;                            // "ns::scale"
  std::vector<std::string> template_arguments; // "float", "4"
};

KernelName kernel_name(std::string_view mangled);

} // namespace warptune

// The types of a kernel's parameters that its mangled name states (Itanium C++ ABI, which NVRTC and nvcc use). A cubin
// stores only their sizes. Pure; reads untrusted names, in linear time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace warptune {

// Returns for each parameter the C++ name of its arithmetic type ("float", "unsigned int"); empty for pointers, classes
// and all other types. nullopt for a name that is not mangled (extern "C") or uses more of the grammar than kernels
// need.
std::optional<std::vector<std::string_view>> mangled_parameters(std::string_view name);

} // namespace warptune

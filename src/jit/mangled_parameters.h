// Reads the types of a kernel's parameters from its mangled name (Itanium C++ ABI, which NVRTC and nvcc use). A cubin
// has only the parameters' sizes. Pure. Names may be hostile; they are read in linear time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace warptune {

// Returns, for each parameter, the C++ name of its arithmetic type ("float", "unsigned int"), or an empty text for any
// other type, such as pointers and classes. nullopt if the name is not mangled (extern "C"), or uses more of the
// mangling grammar than kernels need.
std::optional<std::vector<std::string_view>> mangled_parameters(std::string_view name);

} // namespace warptune

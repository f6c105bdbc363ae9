// The names that CUDA C++ gives to element types.
#pragma once

#include "core/dtype.h"

#include <optional>
#include <string_view>

namespace warptune {

// "float" -> fp32, "__half" and "half" -> fp16. Without qualifiers, and without vectors such as float4.
std::optional<DType> dtype_of_cpp(std::string_view type);

} // namespace warptune

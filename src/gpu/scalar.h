// Numbers as the bits of a device dtype: kernel arguments and host-evaluated fills. Round to nearest even, as the
// device does.
#pragma once

#include "core/dtype.h"

#include <cstdint>

namespace warptune {

// In the low bytes. Integers are taken from `integer`, floating-point dtypes from `number`.
std::uint64_t encode_integer(DType dtype, std::int64_t integer);
std::uint64_t encode_number(DType dtype, double number);

} // namespace warptune

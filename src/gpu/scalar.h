// Numbers as the bits of a device dtype, for kernel arguments and fills evaluated on the host. Rounds to nearest even,
// as the device does.
#pragma once

#include "core/dtype.h"
#include "plan/plan.h"

#include <cstdint>

namespace warptune {

// The result is in the low bytes.
std::uint64_t encode_integer(DType dtype, std::int64_t integer);
std::uint64_t encode_number(DType dtype, double number);

// Returns the bytes of a scalar argument of the given dtype, in the low bytes.
std::uint64_t scalar_bits(const ScalarPlan& scalar);
std::uint64_t scalar_bits(DType dtype, std::int64_t integer, double number);

} // namespace warptune

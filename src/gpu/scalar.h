// Encodes numbers as the bits of a device dtype, for kernel arguments and for fills that the CPU computes. Rounds to
// nearest even, as the device does.
#pragma once

#include "core/dtype.h"
#include "plan/plan.h"

#include <cstdint>

namespace warptune {

// The bits are in the low bytes of the result.
std::uint64_t encode_integer(DType dtype, std::int64_t integer);
std::uint64_t encode_number(DType dtype, double number);

// Returns the bits of a scalar argument in the low bytes. The dtype decides whether `integer` or `number` is used.
std::uint64_t scalar_bits(const ScalarPlan& scalar);
std::uint64_t scalar_bits(DType dtype, std::int64_t integer, double number);

} // namespace warptune

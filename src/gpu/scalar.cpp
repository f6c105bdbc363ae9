#include "gpu/scalar.h"

#include <bit>
#include <cmath>

namespace warptune {
namespace {

// A small floating-point format with subnormals; `exponent` and `mantissa` are in bits. Overflow gives infinity, or the
// largest finite value if the format has no infinity (fp8_e4m3) or usually saturates (fp8).
struct Format {
  int exponent, mantissa;
  bool has_infinity;
};

std::uint64_t round_to(const Format& format, double value) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.exponent + format.mantissa);
  const std::uint64_t all_ones = ((std::uint64_t{1} << format.exponent) - 1) << format.mantissa;
  // e4m3 uses the top exponent for numbers; only the last code is NaN.
  const std::uint64_t largest = format.exponent == 4 ? 0x7E : all_ones - 1;
  if (std::isnan(value))
    return sign | (format.exponent == 4 ? 0x7F : all_ones | (std::uint64_t{1} << (format.mantissa - 1)));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent = 0;
  if (!std::isinf(magnitude)) {
    std::frexp(magnitude, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    // Units in the last place; nearbyint rounds to even. A carry into the exponent gives the correct code.
    const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent));
    const double code = units + std::ldexp(static_cast<double>(exponent + bias - 1), format.mantissa);
    if (code <= static_cast<double>(largest)) return sign | static_cast<std::uint64_t>(code);
  }
  return sign | (format.has_infinity ? all_ones : largest);
}

} // namespace

std::uint64_t encode_integer(DType dtype, std::int64_t integer) {
  if (dtype_is_floating(dtype)) return encode_number(dtype, static_cast<double>(integer));
  const auto bits = static_cast<std::uint64_t>(integer);
  if (dtype == DType::boolean) return integer != 0 ? 1 : 0;
  const int bytes = dtype_bytes(dtype);
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::uint64_t encode_number(DType dtype, double number) {
  switch (dtype) {
  case DType::fp64:
    return std::bit_cast<std::uint64_t>(number);
  case DType::fp32:
  case DType::tf32:
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  case DType::fp16:
    return round_to({5, 10, true}, number);
  case DType::bf16:
    return round_to({8, 7, true}, number);
  case DType::fp8_e4m3:
    return round_to({4, 3, false}, number);
  case DType::fp8_e5m2:
    return round_to({5, 2, false}, number);
  default:
    return encode_integer(dtype, static_cast<std::int64_t>(std::llrint(number)));
  }
}

std::uint64_t scalar_bits(DType dtype, std::int64_t integer, double number) {
  return dtype_is_floating(dtype) ? encode_number(dtype, number) : encode_integer(dtype, integer);
}

std::uint64_t scalar_bits(const ScalarPlan& scalar) { return scalar_bits(scalar.dtype, scalar.integer, scalar.number); }

} // namespace warptune

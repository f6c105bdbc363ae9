#include "capture/fill_guess.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace warptune {
namespace {

template <class T> T read_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan(""))
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

std::optional<double> real_value(DType dtype, const char* bytes) {
  switch (dtype) {
  case DType::fp64:
    return read_as<double>(bytes);
  case DType::fp32:
  case DType::tf32:
    return read_as<float>(bytes);
  case DType::bf16:
    return std::bit_cast<float>(static_cast<std::uint32_t>(read_as<std::uint16_t>(bytes)) << 16);
  case DType::fp16:
    return half_value(read_as<std::uint16_t>(bytes));
  default:
    return std::nullopt;
  }
}

std::optional<std::int64_t> integer_value(DType dtype, const char* bytes) {
  switch (dtype) {
  case DType::int64:
    return read_as<std::int64_t>(bytes);
  case DType::int32:
    return read_as<std::int32_t>(bytes);
  case DType::int16:
    return read_as<std::int16_t>(bytes);
  case DType::int8:
    return read_as<std::int8_t>(bytes);
  case DType::uint32:
    return read_as<std::uint32_t>(bytes);
  case DType::uint16:
    return read_as<std::uint16_t>(bytes);
  case DType::uint8:
  case DType::boolean:
    return read_as<std::uint8_t>(bytes);
  case DType::uint64: {
    const auto value = read_as<std::uint64_t>(bytes);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value > kMost ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
  }
  default:
    return std::nullopt;
  }
}

} // namespace

std::string guess_fill(DType dtype, std::string_view contents) {
  const auto size = static_cast<std::size_t>(dtype_bytes(dtype));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
  bool has_real = false, has_integer = false;
  for (std::size_t at = 0; at + size <= contents.size(); at += size) {
    if (const auto real = real_value(dtype, contents.data() + at); real && std::isfinite(*real)) {
      low = std::min(low, *real);
      high = std::max(high, *real);
      has_real = true;
    }
    if (const auto integer = integer_value(dtype, contents.data() + at)) {
      least = std::min(least, *integer);
      most = std::max(most, *integer);
      has_integer = true;
    }
  }
  // Do not copy a single real value: equal numbers would hide most wrong results. Equal integers may be indices.
  if (has_real) return low == high ? std::string() : fmt::format(R"({{"uniform": [{}, {}]}})", low, high);
  if (has_integer)
    return least == most ? fmt::format(R"({{"constant": {}}})", least)
                         : fmt::format(R"({{"integers": [{}, {}]}})", least, most);
  return {};
}

} // namespace warptune

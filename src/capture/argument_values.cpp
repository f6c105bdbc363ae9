#include "capture/argument_values.h"

#include "core/text.h"

#include <algorithm>
#include <cstring>

namespace warptune {

std::optional<std::int64_t> integer_of(const CapturedArgument& argument, DType dtype) {
  if (dtype_is_floating(dtype) || argument.value.size() != static_cast<std::size_t>(dtype_bytes(dtype)))
    return std::nullopt;
  std::uint64_t bits = 0;
  std::memcpy(&bits, argument.value.data(), argument.value.size());
  const bool is_signed =
      dtype == DType::int64 || dtype == DType::int32 || dtype == DType::int16 || dtype == DType::int8;
  const int unused = 64 - 8 * dtype_bytes(dtype);
  const auto shifted = static_cast<std::int64_t>(bits << unused);
  return is_signed ? shifted >> unused : static_cast<std::int64_t>(bits);
}

std::optional<double> real_of(const CapturedArgument& argument, DType dtype) {
  if (dtype == DType::fp32 && argument.value.size() == sizeof(float)) {
    float value = 0;
    std::memcpy(&value, argument.value.data(), sizeof value);
    return value;
  }
  if (dtype == DType::fp64 && argument.value.size() == sizeof(double)) {
    double value = 0;
    std::memcpy(&value, argument.value.data(), sizeof value);
    return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> template_integer(std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  if (text.starts_with('(')) text = text.substr(std::min(text.find(')') + 1, text.size()));
  while (!text.empty() && (text.back() == 'u' || text.back() == 'l')) text.remove_suffix(1);
  std::int64_t value = 0;
  if (parse_integer(text, value) != IntegerError::none) return std::nullopt;
  return value;
}

} // namespace warptune

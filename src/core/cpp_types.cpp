#include "core/cpp_types.h"

#include <array>
#include <utility>

namespace warptune {

std::optional<DType> dtype_of_cpp(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, DType>, 29> kNames = {{
      {"float", DType::fp32},
      {"double", DType::fp64},
      {"__half", DType::fp16},
      {"__nv_bfloat16", DType::bf16},
      {"__nv_fp8_e4m3", DType::fp8_e4m3},
      {"__nv_fp8_e5m2", DType::fp8_e5m2},
      {"int", DType::int32},
      {"unsigned int", DType::uint32},
      {"long", DType::int64},
      {"unsigned long", DType::uint64},
      {"long long", DType::int64},
      {"unsigned long long", DType::uint64},
      {"short", DType::int16},
      {"unsigned short", DType::uint16},
      {"char", DType::int8},
      {"signed char", DType::int8},
      {"unsigned char", DType::uint8},
      {"bool", DType::boolean},
      {"uint", DType::uint32},
      {"ulong", DType::uint64},
      {"ulonglong", DType::uint64},
      {"longlong", DType::int64},
      {"ushort", DType::uint16},
      {"uchar", DType::uint8},
      {"half", DType::fp16},
      {"__half_raw", DType::fp16},
      {"nv_bfloat16", DType::bf16},
      {"__nv_bfloat16_raw", DType::bf16},
      {"std::byte", DType::uint8},
  }};
  for (const auto& [name, dtype] : kNames)
    if (name == type) return dtype;
  return std::nullopt;
}

} // namespace warptune

// Element types, with the names that are usual in GPU computing. Pure data: sizes and names, no conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warptune {

enum class DType : std::int8_t {
  fp64,
  fp32,
  tf32,
  fp16,
  bf16,
  fp8_e4m3,
  fp8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,
};
inline constexpr int kDTypeCount = 16;

std::string_view dtype_name(DType t);     // "bf16"
std::string_view dtype_cpp_name(DType t); // "__nv_bfloat16"
int dtype_bytes(DType t);
bool dtype_is_floating(DType t);
double dtype_smallest(DType t);                // the smallest positive number; a denormal for floating-point types
bool dtype_holds(DType t, std::int64_t value); // whether an integer type or bool can represent the value
std::optional<DType> parse_dtype(std::string_view name);

} // namespace warptune

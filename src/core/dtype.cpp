#include "core/dtype.h"

#include <array>
#include <cstddef>

namespace warptune {
namespace {

struct Row {
  std::string_view name, cpp_name;
  int bytes;
  bool floating;
  double smallest;
};

// In the order of DType.
constexpr std::array<Row, kDTypeCount> kRows = {{
    {"fp64", "double", 8, true, 0x1p-1074},
    {"fp32", "float", 4, true, 0x1p-149},
    {"tf32", "float", 4, true, 0x1p-136},
    {"fp16", "__half", 2, true, 0x1p-24},
    {"bf16", "__nv_bfloat16", 2, true, 0x1p-133},
    {"fp8_e4m3", "__nv_fp8_e4m3", 1, true, 0x1p-9},
    {"fp8_e5m2", "__nv_fp8_e5m2", 1, true, 0x1p-16},
    {"int64", "long long", 8, false, 1},
    {"int32", "int", 4, false, 1},
    {"int16", "short", 2, false, 1},
    {"int8", "signed char", 1, false, 1},
    {"uint64", "unsigned long long", 8, false, 1},
    {"uint32", "unsigned int", 4, false, 1},
    {"uint16", "unsigned short", 2, false, 1},
    {"uint8", "unsigned char", 1, false, 1},
    {"bool", "bool", 1, false, 1},
}};

const Row& row(DType t) { return kRows[static_cast<std::size_t>(t)]; }

} // namespace

std::string_view dtype_name(DType t) { return row(t).name; }
std::string_view dtype_cpp_name(DType t) { return row(t).cpp_name; }
int dtype_bytes(DType t) { return row(t).bytes; }
bool dtype_is_floating(DType t) { return row(t).floating; }
double dtype_smallest(DType t) { return row(t).smallest; }

bool dtype_holds(DType t, std::int64_t value) {
  if (t == DType::boolean) return value == 0 || value == 1;
  if (t == DType::int64 || (t == DType::uint64 && value >= 0)) return true;
  const int bits = 8 * dtype_bytes(t);
  const bool is_signed = t == DType::int32 || t == DType::int16 || t == DType::int8;
  if (!is_signed) return value >= 0 && (bits == 64 || value < std::int64_t{1} << bits);
  return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1);
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kRows[static_cast<std::size_t>(i)].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace warptune

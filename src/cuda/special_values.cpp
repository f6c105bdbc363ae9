#include "cuda/special_values.h"

#include <cmath>
#include <limits>

namespace warptune {
namespace {

struct Range {
  double smallest_normal, largest;
};
Range range_of(DType dtype) {
  switch (dtype) {
  case DType::fp64:
    return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  case DType::fp16:
    return {0x1p-14, 65504.0};
  default: // bf16: the exponents of fp32
    return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
  }
}

Fill constant(double value) { return {Fill::Kind::constant, value, 0, {}, 0}; }
Fill uniform(double low, double high) { return {Fill::Kind::uniform, low, high, {}, 0}; }

} // namespace

bool has_special_values(Examination what) {
  return what == Examination::nan || what == Examination::infinity || what == Examination::denormals ||
         what == Examination::zeros || what == Examination::large;
}

bool takes_special_values(const BufferPlan& buffer) {
  const bool is_random = buffer.fill.kind == Fill::Kind::uniform || buffer.fill.kind == Fill::Kind::normal;
  const bool is_float = buffer.dtype == DType::fp64 || buffer.dtype == DType::fp32 || buffer.dtype == DType::fp16 ||
                        buffer.dtype == DType::bf16;
  return is_random && is_float && buffer.count > 0 && buffer.role != Role::output && buffer.role != Role::workspace;
}

Result<void> put_special_values(DeviceTools& tools, const BufferPlan& buffer, CUdeviceptr data, Examination what,
                                std::uint64_t seed, CUstream stream) {
  const auto all = [&](const Fill& fill) { return tools.fill(data, buffer.dtype, buffer.count, fill, seed, stream); };
  const Range range = range_of(buffer.dtype);
  if (what == Examination::zeros) return all(constant(0));
  if (what == Examination::denormals) return all(uniform(-range.smallest_normal, range.smallest_normal));
  if (what == Examination::large) {
    const double large = std::sqrt(range.largest) / 16;
    return all(uniform(-large, large));
  }
  // One at the start, one in the middle among full vectors and warps, and one at the end, where kernels may handle a
  // remainder.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double value = what == Examination::nan ? std::numeric_limits<double>::quiet_NaN() : kInfinity;
  const std::pair<std::int64_t, double> places[] = {{0, value}, {buffer.count / 2, -value}, {buffer.count - 1, value}};
  for (const auto& [at, special] : places)
    WT_CHECK(tools.fill(data + static_cast<CUdeviceptr>(at * dtype_bytes(buffer.dtype)), buffer.dtype, 1,
                        constant(special), seed, stream));
  return {};
}

} // namespace warptune

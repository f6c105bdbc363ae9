// Limits: CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
#include "plan/plan_values.h"

namespace warptune {
namespace {

constexpr std::int64_t kMaxDim = std::int64_t{1} << 32;
constexpr std::int64_t kMaxStride = (std::int64_t{1} << 40) - 1;
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxElementStride = 8;
constexpr std::int64_t kMaxPixels = 1024;

template <class T>
Result<void> fill_range(const std::vector<Expr>& exprs, std::int64_t low, std::int64_t high, const std::string& what,
                        const PlanValues& values, std::vector<T>& out) {
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    WT_TRY(const auto value, values.in_range(exprs[i], low, high, what + " " + std::to_string(i)));
    out.push_back(static_cast<T>(value));
  }
  return {};
}

Result<void> check_inner(const TensorMapPlan& plan, const std::string& of, const PlanValues& values) {
  const auto refuse = [&](const std::string& why) { return values.refuse(ErrorKind::no_candidate, why); };
  for (const std::uint64_t stride : plan.strides)
    if (stride % (plan.interleave_bytes == 32 ? 32u : 16u) != 0)
      return refuse("a stride" + of + " is " + std::to_string(stride) + " bytes, not a multiple of " +
                    (plan.interleave_bytes == 32 ? "32" : "16"));
  if (plan.box.empty() || plan.interleave_bytes != 0) return {};
  const std::int64_t inner = std::int64_t{plan.box[0]} * dtype_bytes(plan.dtype);
  if (inner % 16 != 0)
    return refuse("the innermost box" + of + " has " + std::to_string(inner) + " bytes, not a multiple of 16");
  if (plan.swizzle_bytes != 0 && inner > plan.swizzle_bytes)
    return refuse("the innermost box" + of + " has " + std::to_string(inner) + " bytes, more than the swizzle's " +
                  std::to_string(plan.swizzle_bytes));
  return {};
}

} // namespace

Result<TensorMapPlan> plan_tensor_map(const TensorMapArg& map, const std::string& name, int buffer, DType dtype,
                                      const PlanValues& values) {
  const std::string of = " of the tensor map '" + name + "'";
  TensorMapPlan plan;
  plan.name = name;
  plan.buffer = buffer;
  plan.dtype = dtype;
  plan.im2col = map.im2col;
  plan.interleave_bytes = map.interleave_bytes;
  plan.l2_promotion_bytes = map.l2_promotion_bytes;
  plan.fill_nan = map.fill_nan;
  if (map.dtype) {
    WT_TRY(const auto own, values.dtype(*map.dtype, "the dtype" + of));
    plan.dtype = own;
  }
  WT_TRY(const auto swizzle, values.in_range(map.swizzle, 0, 128, "swizzle" + of));
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return values.refuse(ErrorKind::bad_input, "the swizzle" + of + " is " + std::to_string(swizzle) +
                                                   " bytes; allowed are 0, 32, 64 and 128");
  plan.swizzle_bytes = static_cast<int>(swizzle);
  Result<void> ok = fill_range(map.dims, 1, kMaxDim, "dim" + of, values, plan.dims);
  if (ok) ok = fill_range(map.strides, 1, kMaxStride, "stride" + of, values, plan.strides);
  if (ok) ok = fill_range(map.box, 1, kMaxBox, "box" + of, values, plan.box);
  if (ok)
    ok = fill_range(map.element_strides, 1, kMaxElementStride, "element stride" + of, values, plan.element_strides);
  if (ok && map.im2col) {
    // Signed corners of 16, 8 or 5 bits for one, two or three spatial dims.
    const std::int64_t reach = map.dims.size() == 3 ? 32767 : map.dims.size() == 4 ? 127 : 15;
    ok = fill_range(map.lower, -reach - 1, reach, "lower corner" + of, values, plan.lower);
    if (ok) ok = fill_range(map.upper, -reach - 1, reach, "upper corner" + of, values, plan.upper);
    if (ok) {
      WT_TRY(const auto channels, values.in_range(map.channels_per_pixel, 1, kMaxBox, "channels_per_pixel" + of));
      WT_TRY(const auto pixels, values.in_range(map.pixels_per_column, 1, kMaxPixels, "pixels_per_column" + of));
      plan.channels_per_pixel = static_cast<std::uint32_t>(channels);
      plan.pixels_per_column = static_cast<std::uint32_t>(pixels);
    }
  }
  WT_CHECK(ok);
  if (plan.element_strides.empty()) plan.element_strides.assign(plan.dims.size(), 1);
  WT_CHECK(check_inner(plan, of, values));
  return plan;
}

} // namespace warptune

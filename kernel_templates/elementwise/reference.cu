// The reference of elementwise, in double with torch's formulas: one thread an element.
#include "common/activations_exact.cuh"
#include "expression.cuh"

using namespace wt::exact;

struct Expression {};
// x + bias is rounded to fp32, so that kernel and reference see the same side of a function's bend.
template <typename Function> __device__ double value_at(float x, float bias, double other, const Arguments& a) {
  if constexpr (wt::is_same<Function, Expression>)
    return expression<double>(x, bias, other, a.alpha, a.beta);
  else
    return Function::of(x + bias, a);
}

// OTHER: 1 adds it, 2 multiplies by it. BIAS: 1 for each column, 2 for each row. y has the reference's dtype. MASK: a
// thread stores the bits of eight elements.
template <typename T, typename Function, int OTHER, int BIAS, bool MASK>
__global__ void elementwise_reference(const T* x, const T* bias, const T* other, float* y, u8* mask,
                                      float negative_slope, float alpha, float beta, float threshold, float min_val,
                                      float max_val, i64 n, i64 rows, i64 cols) {
  const Arguments arguments{negative_slope, alpha, beta, threshold, min_val, max_val};
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double w = OTHER ? wt::to_double(other[i]) : 0;
    const auto bias_at = [&](i64 at) {
      return BIAS ? wt::to_float(bias[BIAS == 1 ? at % cols : at / cols % rows]) : 0.0f;
    };
    const float v = wt::to_float(x[i]), b = bias_at(i);
    const double value = value_at<Function>(v, b, w, arguments);
    y[i] = static_cast<float>(OTHER == 1 ? value + w : OTHER == 2 ? value * w : value);
    if constexpr (MASK) {
      if (i % 8 != 0) continue;
      mask[i / 8] = 0;
      for (i64 at = i; at < n && at < i + 8; ++at)
        if (Function::is_active(wt::to_float(x[at]) + bias_at(at), arguments)) mask[i / 8] |= u8(1 << (at - i));
    }
  }
}

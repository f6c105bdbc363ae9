// The reference of elementwise_backward, in double: one thread an element.
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
template <typename Function>
__device__ double gradient_at(float x, float bias, double other, double dy, const Arguments& a) {
  if constexpr (wt::is_same<Function, Expression>)
    return dy * derivative<double>(x, bias, other, a.alpha, a.beta);
  else
    return Function::gradient(x + bias, dy, a);
}

// From the bit that elementwise has stored.
template <typename Function> __device__ double masked_gradient(bool active, double dy, const Arguments& a) {
  constexpr bool kIsHardsigmoid = wt::is_same<Function, Hardsigmoid>, kIsLeaky = wt::is_same<Function, LeakyRelu>;
  return active ? dy * (kIsHardsigmoid ? 1.0 / 6 : 1) : kIsLeaky ? dy * a.negative_slope : 0;
}

// GATED: other multiplied the function's result. BIAS: 1 for each column, 2 for each row.
template <typename T, typename Function, bool GATED, int BIAS, bool MASK>
__global__ void element_gradients(const T* dy, const T* x, const u8* mask, const T* bias, const T* other, float* dx,
                                  float* dother, float negative_slope, float alpha, float beta, float threshold,
                                  float min_val, float max_val, i64 n, i64 rows, i64 cols) {
  const Arguments arguments{negative_slope, alpha, beta, threshold, min_val, max_val};
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double g = wt::to_double(dy[i]), w = other ? wt::to_double(other[i]) : 0;
    if constexpr (MASK) {
      dx[i] = static_cast<float>(masked_gradient<Function>(mask[i / 8] >> (i % 8) & 1, g, arguments));
      continue;
    }
    const float v = wt::to_float(x[i]), b = BIAS ? wt::to_float(bias[BIAS == 1 ? i % cols : i / cols % rows]) : 0.0f;
    dx[i] = static_cast<float>(gradient_at<Function>(v, b, w, GATED ? g * w : g, arguments));
    if (GATED) dother[i] = static_cast<float>(g * value_at<Function>(v, b, w, arguments));
  }
}

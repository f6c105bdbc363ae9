// The reference of quantise. Its arithmetic is what the operator defines: divisions and products in fp32, rounded to
// nearest even, so that results are equal.
#include "common/prelude.cuh"

template <typename T>
__global__ void row_scales(const T* x, float* scales, float largest, float least_scale, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    float magnitude = 0;
    for (int c = 0; c < cols; ++c) {
      const float own = fabsf(wt::to_float(x[row * cols + c]));
      if (own > magnitude || isnan(own)) magnitude = own;
      if (isnan(own)) break;
    }
    const float scale = magnitude / largest;
    scales[row] = scale < least_scale ? least_scale : scale;
  }
}

template <typename T, typename Q, typename R>
__global__ void quantise_elements(const T* x, const float* scales, R* y, i64 rows_of_scale, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    const float value = wt::to_float(x[i]) * (1 / scales[i / cols / rows_of_scale]);
    if constexpr (wt::is_same<Q, signed char>)
      y[i] = isnan(value) ? 0 : static_cast<signed char>(rintf(fminf(fmaxf(value, -128.0f), 127.0f)));
    else
      y[i] = wt::to_float(wt::from_float<Q>(value));
  }
}

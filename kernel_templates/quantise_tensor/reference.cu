// The reference of quantise_tensor. Its arithmetic is what the operator defines: divisions and products in fp32, rounded
// to nearest even, so that results are equal.
#include "common/prelude.cuh"

// Thread i of `count` takes the largest magnitude of every count-th element from element i on, or NaN.
template <typename T> __global__ void largest_magnitudes(const T* x, float* magnitudes, i64 n, int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count) return;
  float magnitude = 0;
  for (i64 i = own; i < n; i += count) {
    const float element = fabsf(wt::to_float(x[i]));
    if (element > magnitude || isnan(element)) magnitude = element;
    if (isnan(element)) break;
  }
  magnitudes[own] = magnitude;
}

__global__ void scale_of_magnitude(const float* magnitude, float* scale, float largest, float least_scale) {
  const float of_magnitude = *magnitude / largest;
  *scale = of_magnitude < least_scale ? least_scale : of_magnitude;
}

template <typename T, typename Q, typename R>
__global__ void quantise_elements(const T* x, const float* scale, R* y, i64 n) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const float value = wt::to_float(x[i]) * (1 / *scale);
    if constexpr (wt::is_same<Q, signed char>)
      y[i] = isnan(value) ? 0 : static_cast<signed char>(rintf(fminf(fmaxf(value, -128.0f), 127.0f)));
    else
      y[i] = wt::to_float(wt::from_float<Q>(value));
  }
}

#include "common/prelude.cuh"

template <int BLOCK> __global__ void __launch_bounds__(BLOCK) copy(const float* x, float* y, i64 n) {
  const i64 i = i64(blockIdx.x) * BLOCK + threadIdx.x;
  if (4 * i < n) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}

// The second launch where k is split.
#pragma once

// c[i] = sum over the SPLIT_K slices of partial[slice * count + i], in the order of the slices.
template <int SPLIT_K, int VEC>
__global__ void __launch_bounds__(256)
    sgemm_reduce(const float* __restrict__ partial, float* __restrict__ c, long long count) {
  const long long i = (static_cast<long long>(blockIdx.x) * 256 + threadIdx.x) * (VEC ? 4 : 1);
  if (i >= count) return;
  if constexpr (VEC) {
    float4 sum = *reinterpret_cast<const float4*>(partial + i);
#pragma unroll
    for (int s = 1; s < SPLIT_K; ++s) {
      const float4 v = *reinterpret_cast<const float4*>(partial + s * count + i);
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
    *reinterpret_cast<float4*>(c + i) = sum;
  } else {
    float sum = partial[i];
#pragma unroll
    for (int s = 1; s < SPLIT_K; ++s) sum += partial[s * count + i];
    c[i] = sum;
  }
}

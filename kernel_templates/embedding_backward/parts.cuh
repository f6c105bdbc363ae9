// Parts of sums, in fp32: of rows of the table that several blocks or teams of threads add.
#pragma once

#include "common/vec.cuh"

template <int VEC> inline constexpr int kWide = VEC < 4 ? VEC : 4; // floats of an access to the parts

template <int VEC> __device__ __forceinline__ void store_part(float* part, const float (&sum)[VEC]) {
#pragma unroll
  for (int k = 0; k < VEC; k += kWide<VEC>) {
    wt::Vec<float, kWide<VEC>> wide;
#pragma unroll
    for (int i = 0; i < kWide<VEC>; ++i) wide.v[i] = sum[k + i];
    wt::store<wt::kDefault>(part + k, wide);
  }
}

template <int VEC> __device__ __forceinline__ void add_part(const float* part, float (&sum)[VEC]) {
#pragma unroll
  for (int k = 0; k < VEC; k += kWide<VEC>) {
    const auto wide = wt::load<wt::kDefault, wt::Vec<float, kWide<VEC>>>(part + k);
#pragma unroll
    for (int i = 0; i < kWide<VEC>; ++i) sum[k + i] += wide.v[i];
  }
}

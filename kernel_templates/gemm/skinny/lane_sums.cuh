// Sums over the lanes of a warp, of many values at once.
#pragma once

#include "common/prelude.cuh"

// Adds COUNT values over the lanes, COUNT a power of two, in the order of a butterfly. At each step a lane passes on half of its values, so
// that it ends with max(1, COUNT / 32) sums, from number `first` on.
template <int COUNT, int OFFSET = 16> __device__ __forceinline__ void sum_lanes(float (&values)[COUNT], int& first) {
  if constexpr (OFFSET > 0 && COUNT > 1) {
    constexpr int kHalf = COUNT / 2;
    const bool upper = threadIdx.x & OFFSET;
    float half[kHalf];
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
      const float own = upper ? values[i + kHalf] : values[i], other = upper ? values[i] : values[i + kHalf];
      half[i] = own + __shfl_xor_sync(0xffffffffu, other, OFFSET);
    }
    first += upper ? kHalf : 0;
    sum_lanes<kHalf, OFFSET / 2>(half, first);
#pragma unroll
    for (int i = 0; i < kHalf; ++i) values[i] = half[i];
  } else if constexpr (OFFSET > 0) {
    values[0] += __shfl_xor_sync(0xffffffffu, values[0], OFFSET);
    sum_lanes<1, OFFSET / 2>(values, first);
  }
}

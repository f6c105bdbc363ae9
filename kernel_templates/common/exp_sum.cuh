// Sums of exponentials without overflow: the maximum and the sum of a part of a row, and parts that become one.
#pragma once

#include "common/ptx.cuh"

namespace wt {

constexpr float kLog2e = 1.4426950408889634f;

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

// What is subtracted from the elements of a part before e^x: their maximum, whatever its size. A part without a finite
// element has nothing to subtract; 0 makes its sum 0 instead of NaN.
__device__ __forceinline__ float exp_offset(float max) { return max == minus_infinity() ? 0.0f : max; }
// e^(x - offset). Subtracted first, as PyTorch does: x * log2(e) would be rounded, and at 1e9 by more than 2^x can hold.
__device__ __forceinline__ float exp_of(float x, float offset) { return exp2_fast((x - offset) * kLog2e); }

// sum = sum of e^(x - exp_offset(max)). fmaxf drops a NaN; the sum keeps it, and with it the whole row, as it
// should.
struct alignas(8) ExpSum {
  static constexpr int kFloats = 2;
  float max = minus_infinity(), sum = 0;

  // What the sum and each of its terms are multiplied by where the maximum is larger; 0 for an empty part.
  __device__ __forceinline__ float share_at(float larger) const { return exp_of(max, exp_offset(larger)); }
  __device__ __forceinline__ float sum_at(float larger) const { return sum * share_at(larger); }
  __device__ __forceinline__ void merge(const ExpSum& other) {
    const float larger = fmaxf(max, other.max);
    sum = sum_at(larger) + other.sum_at(larger);
    max = larger;
  }
  template <int N> __device__ __forceinline__ void add(const float (&v)[N]) {
    float larger = max, more = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) larger = fmaxf(larger, v[i]);
    const float offset = exp_offset(larger);
#pragma unroll
    for (int i = 0; i < N; ++i) more += exp_of(v[i], offset);
    sum = sum_at(larger) + more;
    max = larger;
  }
};

} // namespace wt

// Sums of exponentials without overflow: the maximum and the sum of a part of a row, and parts that become one.
#pragma once

#include "common/ptx.cuh"

namespace wt {

constexpr float kLog2e = 1.4426950408889634f;

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

// The exponent's offset. A part without a finite element has nothing to subtract from; 0 makes its sum 0 instead of
// NaN. Rounded here and never fused into a subtraction: the offsets of a part and of the whole with the same maximum
// must be the same number, or each merge would add the rounding of large elements anew.
__device__ __forceinline__ float exp_offset(float max) {
  return max == minus_infinity() ? 0.0f : __fmul_rn(max, kLog2e);
}
// e^x relative to the maximum.
__device__ __forceinline__ float exp_of(float x, float offset) { return exp2_fast(fmaf(x, kLog2e, -offset)); }

// sum = sum of 2^(x * log2(e) - exp_offset(max)). fmaxf drops a NaN; the sum keeps it, and with it the whole row, as it
// should.
struct alignas(8) ExpSum {
  static constexpr int kFloats = 2;
  float max = minus_infinity(), sum = 0;

  // What the sum and each of its terms are multiplied by where the maximum is larger. An empty part's offset is
  // arbitrary: it counts nothing.
  __device__ __forceinline__ float share_at(float larger) const {
    return max == minus_infinity() ? 0.0f : exp2_fast(exp_offset(max) - exp_offset(larger));
  }
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
  // The logarithm of the sum of e^x.
  __device__ __forceinline__ float log_sum() const { return max + logf(sum); }
};

} // namespace wt

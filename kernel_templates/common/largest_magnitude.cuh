// The largest magnitude of the elements that threads share, and the scale of quantised numbers that follows from it.
#pragma once

#include "common/ptx_numbers.cuh"
#include "common/row_exchange.cuh"
#include "common/vec.cuh"

namespace wt {

// A Part of row_exchange.cuh. A NaN is larger than all others.
struct alignas(8) LargestMagnitude {
  static constexpr int kFloats = 1;
  float value = 0;

  __device__ __forceinline__ void merge(const LargestMagnitude& other) { value = max_nan(value, other.value); }
  template <typename T, int VEC> __device__ __forceinline__ void add(const Vec<T, VEC>& vector) {
    float v[VEC];
    unpack<T, VEC>(vector, v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) value = max_nan(value, fabsf(v[k]));
  }
};

// `largest`: the largest number of the narrow type.
__device__ __forceinline__ float scale_of(const LargestMagnitude& all, float largest, float least_scale) {
  return max_nan(all.value / largest, least_scale);
}

} // namespace wt

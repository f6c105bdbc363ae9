// Sums of the squares or magnitudes of numbers, and their largest magnitude, as parts of row_exchange.cuh.
#pragma once

#include "common/ptx_numbers.cuh"
#include "common/row_exchange.cuh"

namespace wt {

enum NormOrder : int { kL2, kL1, kLargest };

// All values of an array, in its first element, by a tree.
template <int N, typename Both> __device__ __forceinline__ float tree_of(float (&t)[N], const Both& both) {
  static_assert(is_pow2(N));
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2) {
#pragma unroll
    for (int k = 0; k < width; ++k) t[k] = both(t[k], t[k + width]);
  }
  return t[0];
}

// The sum of squares or of magnitudes, or the largest magnitude.
template <int ORDER> struct alignas(8) Magnitude {
  static constexpr int kFloats = 1;
  float value = 0;

  static __device__ __forceinline__ float both(float a, float b) {
    if constexpr (ORDER == kLargest)
      return max_nan(a, b);
    else
      return a + b;
  }
  __device__ __forceinline__ void merge(const Magnitude& other) { value = both(value, other.value); }
};

} // namespace wt

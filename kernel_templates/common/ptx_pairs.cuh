// Instructions on pairs of 16-bit numbers in a word. Apart from ptx_numbers.cuh, which other recorded kernels include.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// In each half the larger of two numbers, or NaN if one of them is.
template <typename T> __device__ __forceinline__ u32 max_nan2(u32 a, u32 b) {
  static_assert(sizeof(T) == 2);
  u32 larger;
  if constexpr (is_same<T, __half>)
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  else
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
}

} // namespace wt

// Instructions on numbers that have no name in CUDA C++: extremes that keep a NaN, and int8.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// The larger and the smaller of two numbers, or NaN if one of them is.
__device__ __forceinline__ float max_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}
__device__ __forceinline__ float min_nan(float a, float b) {
  float smaller;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(a), "f"(b));
  return smaller;
}

// Four floats as int8 in a word: to nearest even, what is too large becomes 127 or -128, and NaN 0.
__device__ __forceinline__ u32 pack_int8(float a, float b, float c, float d) {
  u32 upper, all;
  asm("cvt.pack.sat.s8.s32.b32 %0, %2, %1, 0;" : "=r"(upper) : "r"(__float2int_rn(c)), "r"(__float2int_rn(d)));
  asm("cvt.pack.sat.s8.s32.b32 %0, %2, %1, %3;"
      : "=r"(all)
      : "r"(__float2int_rn(a)), "r"(__float2int_rn(b)), "r"(upper));
  return all;
}

} // namespace wt

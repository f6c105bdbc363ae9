// Instructions that have no name in CUDA C++.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// 2^x to 2 units in the last place, without the code around it that exp2f has for denormal results; they are 0.
__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

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

// The compiler does not know the value any more: it must keep it as it is here, and not what it was computed from.
__device__ __forceinline__ void keep_in_register(u32& bits) { asm volatile("" : "+r"(bits)); }

} // namespace wt

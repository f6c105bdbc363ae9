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

// The compiler does not know the value any more: it must keep it as it is here, and not what it was computed from.
__device__ __forceinline__ void keep_in_register(u32& bits) { asm volatile("" : "+r"(bits)); }

} // namespace wt

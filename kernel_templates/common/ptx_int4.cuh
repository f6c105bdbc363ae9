// The instruction that packs floats as numbers of 4 bits, which has no name in CUDA C++.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// Two floats as int4 in the lowest byte, `low` in its lower half, below the bits of `above`: to nearest even, what is too
// large becomes 7 or -8, and NaN 0.
__device__ __forceinline__ u32 pack_int4_pair(float low, float high, u32 above) {
  u32 bits;
  asm("cvt.pack.sat.s4.s32.b32 %0, %2, %1, %3;"
      : "=r"(bits)
      : "r"(__float2int_rn(low)), "r"(__float2int_rn(high)), "r"(above));
  return bits;
}

} // namespace wt

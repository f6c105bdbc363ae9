// The logarithm by one instruction. Apart from approximate.cuh, which other recorded kernels include.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// ln(x) to 1.7e-7, and beyond [0.5, 2] to 2e-7 of it. x below 2^-126 counts as 0: minus infinity.
__device__ __forceinline__ float log_fast(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y * 0.693147182f;
}

} // namespace wt

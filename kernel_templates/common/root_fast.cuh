// Square root and quotient without the code that corrects their last bit. Apart from approximate.cuh, which other
// recorded kernels include. The bounds are those of the PTX ISA. Denormals count: nothing is flushed to 0.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// sqrt(x) to 2^-23 of it. 0, infinity and NaN stay; NaN for negative x.
__device__ __forceinline__ float sqrt_fast(float x) {
  float y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// a / b to 2 units in the last place, at most 2^-22 of it, for all a and b: if |b| is above 2^126 or below 2^-126,
// where 1 / b would be denormal or might overflow, the instruction first multiplies both by 2^-2 or 2^24. Zeros,
// infinities and NaN have the quotients of IEEE 754.
__device__ __forceinline__ float divide_fast(float a, float b) {
  float y;
  asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

} // namespace wt

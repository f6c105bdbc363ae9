// Special functions by one instruction each. Apart from ptx.cuh, which recorded kernels include.
#pragma once

#include "common/ptx.cuh"

namespace wt {

// 1 / x to 1 unit in the last place; 0 for x beyond 2^126.
__device__ __forceinline__ float reciprocal_fast(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// tanh(x) to 2^-11 of it.
__device__ __forceinline__ float tanh_fast(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

} // namespace wt

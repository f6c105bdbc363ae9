// Maxima and minima that keep a NaN, as PyTorch's do, in one instruction.
#pragma once

#include "common/prelude.cuh"

namespace wt {

struct MaxNan {
  __device__ __forceinline__ float operator()(float a, float b) const {
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
  }
};
struct MinNan {
  __device__ __forceinline__ float operator()(float a, float b) const {
    float smaller;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(a), "f"(b));
    return smaller;
  }
};

} // namespace wt

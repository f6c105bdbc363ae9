// Sums and maxima over a warp, a part of a warp, or a block. The order of additions is fixed by the thread
// indices, so that the same launch gives the same bits each time.
#pragma once

#include "common/prelude.cuh"

namespace wt {

struct Sum {
  template <typename A> __device__ __forceinline__ A operator()(A a, A b) const { return a + b; }
};
struct Max { // fmaxf drops a NaN operand; a caller that must keep NaN sees it in its sum
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return fmax(a, b); }
};

// Butterfly over groups of WIDTH neighbouring lanes: every lane gets the result. All 32 lanes must call.
template <int WIDTH, typename A, typename Op> __device__ __forceinline__ A warp_all_reduce(A value, Op op) {
  static_assert(is_pow2(WIDTH) && WIDTH <= 32);
#pragma unroll
  for (int offset = WIDTH / 2; offset > 0; offset /= 2) value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

// Sum of one value a thread; the result is valid in thread 0. `scratch` holds THREADS / 32 values of shared
// memory. Ends with no barrier: put one before `scratch` is used again.
template <int THREADS, typename A> __device__ __forceinline__ A block_sum(A value, A* scratch) {
  static_assert(THREADS % 32 == 0 && is_pow2(THREADS) && THREADS <= 1024);
  constexpr int kWarps = THREADS / 32;
  value = warp_all_reduce<32>(value, Sum{});
  if constexpr (kWarps > 1) {
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = threadIdx.x < kWarps ? scratch[threadIdx.x] : A(0);
      value = warp_all_reduce<32>(value, Sum{});
    }
  }
  return value;
}

} // namespace wt

// A barrier of the block's warps in two halves. A warp that arrives one step of k before it waits has products of this
// step left to do while the others arrive; __syncthreads lets it idle until the last warp is there.
#pragma once

#include "common/async.cuh"

template <int WARPS> struct SliceBarrier {
  u64* barrier;
  u32 phase = 0;

  __device__ __forceinline__ SliceBarrier() {
    __shared__ u64 of_block;
    barrier = &of_block;
  }
  // A barrier of the block must follow.
  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) wt::barrier_init(barrier, WARPS);
  }
  // What the threads of a warp read and wrote before is done for those that wait.
  __device__ __forceinline__ void arrive() const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) wt::barrier_arrive(barrier);
  }
  __device__ __forceinline__ void wait() {
    wt::barrier_wait(barrier, phase);
    phase ^= 1;
  }
};

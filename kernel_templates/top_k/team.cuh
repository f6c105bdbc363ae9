// The threads of a row: a warp of a block that has several rows, or a whole block.
#pragma once

#include "common/prelude.cuh"

struct Add {
  __device__ __forceinline__ u32 operator()(u32 value) const { return __reduce_add_sync(0xffffffffu, value); }
};
struct Min {
  __device__ __forceinline__ u32 operator()(u32 value) const { return __reduce_min_sync(0xffffffffu, value); }
};
struct Max {
  __device__ __forceinline__ u32 operator()(u32 value) const { return __reduce_max_sync(0xffffffffu, value); }
};

template <int THREADS> struct Team {
  static constexpr int kWarps = THREADS / 32;
  using Slots = u32[2][kWarps]; // in turn: a fast warp may write while a slow one still reads
  Slots& slots;
  int turn = 0;

  __device__ __forceinline__ explicit Team(Slots& slots_) : slots(slots_) {}
  __device__ __forceinline__ void sync() const {
    if constexpr (kWarps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  // Of one value for each thread: all get the result, and have seen what others wrote before.
  template <typename Op> __device__ __forceinline__ u32 all(u32 value, Op op) {
    value = op(value);
    if constexpr (kWarps > 1) {
      u32(&own)[kWarps] = slots[turn++ % 2];
      if (threadIdx.x % 32 == 0) own[threadIdx.x / 32] = value;
      __syncthreads();
      value = op(own[threadIdx.x % kWarps]);
      if constexpr (wt::is_same<Op, Add>) value /= 32 / kWarps; // each slot was added by several lanes
    }
    return value;
  }
};

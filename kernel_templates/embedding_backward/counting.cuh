// Steps of stable sorts that count: of all rows of the table (order.cuh), or of buckets of rows (segments/radix.cuh).
#pragma once

#include "common/prelude.cuh"

inline constexpr u32 kAllLanes = 0xffffffffu;

// An index in 32 bits; one that is in no table stays so.
template <typename I> __device__ __forceinline__ u32 narrow(I id) {
  const u64 bits = static_cast<u64>(i64(id));
  return bits < 0xffffffffu ? static_cast<u32>(bits) : 0xffffffffu;
}

// The place of each lane's token. next: of each key, the place of the first token of the warp; moves behind them. Lanes
// with key -1 have no token.
template <typename N> __device__ __forceinline__ int take_place(N* next, int key) {
  const u32 alike = __match_any_sync(kAllLanes, key), lower = alike & ((1u << threadIdx.x % 32) - 1);
  const int place = key < 0 ? 0 : next[key] + __popc(lower);
  __syncwarp();
  if (key >= 0 && lower == 0) next[key] = static_cast<N>(next[key] + __popc(alike));
  __syncwarp();
  return place;
}

// The sum of what the threads of a block have before this one. sums: of its warps.
template <int WARPS> __device__ __forceinline__ int sum_of_earlier(int own, int (&sums)[WARPS]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int scanned = own; // up to this thread, in the warp
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const int lower = __shfl_up_sync(kAllLanes, scanned, offset, 32);
    if (lane >= offset) scanned += lower;
  }
  if (lane == 31) sums[warp] = scanned;
  __syncthreads();
  int earlier = scanned - own;
  for (int w = 0; w < warp; ++w) earlier += sums[w];
  return earlier;
}

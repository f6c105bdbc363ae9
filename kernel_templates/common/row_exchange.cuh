// Parts of a row become the whole: each thread's part is merged with those of the other threads of its row, over lanes,
// warps and the blocks of a cluster. A Part begins with kFloats floats and has `void merge(const Part&)`; its default
// value counts for nothing. The order is fixed by the thread indices, so that the same launch gives the same bits each
// time.
#pragma once

#include "common/async.cuh"

namespace wt {

// N sums.
template <int N> struct alignas(8) Sums {
  static constexpr int kFloats = N;
  float v[N] = {};
  __device__ __forceinline__ void merge(const Sums& other) {
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] += other.v[i];
  }
};

// Butterfly over groups of WIDTH neighbouring lanes. All 32 lanes must call.
template <int WIDTH, typename Part> __device__ __forceinline__ Part merge_lanes(Part part) {
  static_assert(is_pow2(WIDTH) && WIDTH <= 32 && sizeof(Part) % sizeof(float2) == 0);
#pragma unroll
  for (int offset = WIDTH / 2; offset > 0; offset /= 2) {
    Part other;
#pragma unroll
    for (int i = 0; i < Part::kFloats; ++i)
      reinterpret_cast<float*>(&other)[i] = __shfl_xor_sync(0xffffffffu, reinterpret_cast<float*>(&part)[i], offset);
    part.merge(other);
  }
  return part;
}

// In shared memory. Threads of a row are neighbours: TPR in each of CLUSTER blocks, RPB rows a block. A slot for each
// warp of the row in each block. One use for each merge: in a loop, take two in turn, because a fast warp may write
// while a slow one still reads.
template <typename Part, int TPR, int RPB, int CLUSTER> struct RowExchange {
  static_assert(is_pow2(CLUSTER) && CLUSTER <= 8, "portable clusters have at most 8 blocks");
  static constexpr int kWarps = TPR <= 32 ? 1 : TPR / 32;
  static constexpr int kSlots = kWarps * CLUSTER;
  static constexpr bool kNeeded = kSlots > 1;
  static constexpr int kWords = sizeof(Part) / sizeof(float2);
  float2 slots[kNeeded ? RPB : 1][kNeeded ? kSlots : 1][kWords];

  // Before the loads whose latency hides it: tells the peers that this block runs.
  __device__ __forceinline__ void announce() const {
    if constexpr (CLUSTER > 1) cluster_arrive();
  }
  // Every thread of the block calls it and gets the whole of its row.
  __device__ __forceinline__ Part merge(Part part, u32 rank, int row) {
    part = merge_lanes<(TPR < 32 ? TPR : 32)>(part);
    if constexpr (kNeeded) {
      const int lane = threadIdx.x % 32, warp = threadIdx.x % TPR / 32;
      const float2* words = reinterpret_cast<const float2*>(&part);
      if constexpr (CLUSTER > 1) {
        cluster_wait(); // the peers run
        if (lane < CLUSTER)
#pragma unroll
          for (int w = 0; w < kWords; ++w)
            store_remote(peer_address(&slots[row][rank * kWarps + warp][w], lane), words[w]);
        cluster_arrive();
        cluster_wait();
      } else {
        if (lane == 0)
#pragma unroll
          for (int w = 0; w < kWords; ++w) slots[row][warp][w] = words[w];
        __syncthreads();
      }
      part = collect(row);
    }
    return part;
  }

 private:
  // Every lane reads its share, so that each group of lanes holds all of them.
  __device__ __forceinline__ Part collect(int row) const {
    constexpr int kShare = kSlots < 32 ? kSlots : 32;
    Part all;
#pragma unroll
    for (int i = 0; i < kSlots; i += kShare) {
      Part slot;
#pragma unroll
      for (int w = 0; w < kWords; ++w) reinterpret_cast<float2*>(&slot)[w] = slots[row][i + threadIdx.x % kShare][w];
      if (i == 0)
        all = slot;
      else
        all.merge(slot);
    }
    return merge_lanes<kShare>(all);
  }
};

} // namespace wt

// Parts of a row become the whole across the blocks of a cluster, for blocks that work on row after row. A cluster
// barrier would wait for the stores of the row before; here the parts themselves complete a phase of a barrier, while
// stores and bulk copies go on. sm_90.
#pragma once

#include "common/row_exchange.cuh"

namespace wt {

// In shared memory; the blocks merge the same number of times. Two places in turn: a fast block may send its next part
// while a slow one still reads, but not the part after that, because it needs the slow block's next part first.
template <typename Part, int CLUSTER> struct ClusterExchange {
  static_assert(is_pow2(CLUSTER) && CLUSTER <= 8, "portable clusters have at most 8 blocks");
  static constexpr int kWords = sizeof(Part) / sizeof(float2);
  float2 slots[2][CLUSTER][kWords];
  u64 arrived[2];

  // All threads of the cluster, before the first merge: peers must find the barriers initialised.
  __device__ __forceinline__ void start() {
    if constexpr (CLUSTER > 1) {
      if (threadIdx.x == 0) {
        barrier_init(&arrived[0], 1);
        barrier_init(&arrived[1], 1);
        barrier_init_fence();
      }
      __syncwarp();
      cluster_arrive();
      cluster_wait();
    }
  }
  // `part` is that of the block, in all its threads; all get the whole. `turn` counts the merges from 0. Between two
  // merges there must be a barrier of the block.
  __device__ __forceinline__ Part merge(const Part& part, u32 rank, int turn) {
    if constexpr (CLUSTER == 1) {
      return part;
    } else {
      const int place = turn % 2, thread = threadIdx.x;
      if (thread == 0) barrier_arrive_expect(&arrived[place], CLUSTER * sizeof(Part));
      if (thread < CLUSTER) { // one for each block, its own included
#pragma unroll
        for (int w = 0; w < kWords; ++w)
          store_remote_async(peer_address(&slots[place][rank][w], thread), reinterpret_cast<const float2*>(&part)[w],
                             peer_address(&arrived[place], thread));
      }
      barrier_wait(&arrived[place], turn / 2 % 2);
      Part own;
#pragma unroll
      for (int w = 0; w < kWords; ++w) reinterpret_cast<float2*>(&own)[w] = slots[place][thread % CLUSTER][w];
      __syncwarp();
      return merge_lanes<CLUSTER>(own);
    }
  }
};

} // namespace wt

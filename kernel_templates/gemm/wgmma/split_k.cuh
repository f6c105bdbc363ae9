// The blocks of a cluster hold partial sums of one tile: each sums a share of the registers, in the order of rank, so that
// results are the same in every run.
#pragma once

#include "common/async.cuh"

// `sums`: BLOCKS * BN / 2 of a thread, in `share` this block's part of them, all ranks added. `mail`: shared memory that no copy uses
// any more, 4 bytes for each sum of the block. All threads of the cluster take part in two cluster barriers.
template <int SPLIT_K, int THREADS, int COUNT>
__device__ __forceinline__ void exchange_sums(const float* sums, float (&share)[COUNT / SPLIT_K], void* shared, int thread, int rank) {
  constexpr int kShare = COUNT / SPLIT_K, kPairs = kShare / 2;
  static_assert(kShare % 2 == 0);
  float2* const mail = static_cast<float2*>(shared); // [from][pair][thread]
  wt::cluster_arrive();
  wt::cluster_wait();
#pragma unroll
  for (int to = 0; to < SPLIT_K; ++to)
    if (to != rank)
#pragma unroll
      for (int i = 0; i < kPairs; ++i)
        wt::store_remote(wt::peer_address(mail + (rank * kPairs + i) * THREADS + thread, to),
                         make_float2(sums[to * kShare + 2 * i], sums[to * kShare + 2 * i + 1]));
  wt::cluster_arrive();
  wt::cluster_wait();
#pragma unroll
  for (int own = 0; own < SPLIT_K; ++own) // so that registers are indexed by constants
    if (own == rank)
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        float2 sum = make_float2(0.f, 0.f);
#pragma unroll
        for (int from = 0; from < SPLIT_K; ++from) {
          const float2 part = from == own ? make_float2(sums[own * kShare + 2 * i], sums[own * kShare + 2 * i + 1])
                                          : mail[(from * kPairs + i) * THREADS + thread];
          sum.x += part.x;
          sum.y += part.y;
        }
        share[2 * i] = sum.x;
        share[2 * i + 1] = sum.y;
      }
}

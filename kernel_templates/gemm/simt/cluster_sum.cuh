// The blocks of a cluster hold parts of one tile: each adds a share of its sums, in the order of rank, so that results
// are the same in every run, and stores them. Instead of a second launch, which costs a few microseconds.
#pragma once

#include "common/async.cuh"

// `shared`: memory that no copy uses any more, 16 bytes for each thread and each of PARTS * ceil(TM * TN / 4 / PARTS)
// vectors. `store(i, j, vector)` gets four sums from row i and column j of the thread. All threads of the cluster take
// part in two cluster barriers.
template <int PARTS, int THREADS, int TM, int TN, class Store>
__device__ __forceinline__ void sum_in_cluster(const float (&sums)[TM][TN], void* shared, Store store) {
  constexpr int kVectors = TM * TN / 4, kShare = (kVectors + PARTS - 1) / PARTS;
  const int rank = int(wt::cluster_rank()), thread = threadIdx.x;
  float2* const mail = static_cast<float2*>(shared); // [from][half vector][thread]
  float4 own[kShare] = {};
  wt::cluster_arrive();
  wt::cluster_wait();
#pragma unroll
  for (int to = 0; to < PARTS; ++to) {
    const auto peer = wt::peer_address(mail + rank * kShare * 2 * THREADS + thread, to);
#pragma unroll
    for (int v = to * kShare; v < min(kVectors, (to + 1) * kShare); ++v) {
      const int i = v / (TN / 4), j = v % (TN / 4) * 4;
      if (to == rank) {
        own[v - to * kShare] = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      } else {
        const auto at = peer + (v - to * kShare) * 2 * THREADS * 8;
        wt::store_remote(at, make_float2(sums[i][j], sums[i][j + 1]));
        wt::store_remote(at + THREADS * 8, make_float2(sums[i][j + 2], sums[i][j + 3]));
      }
    }
  }
  wt::cluster_arrive();
  wt::cluster_wait();
#pragma unroll
  for (int i = 0; i < kShare; ++i) {
    const int v = rank * kShare + i;
    if (kVectors % PARTS != 0 && v >= kVectors) break;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int from = 0; from < PARTS; ++from) {
      float4 part = own[i];
      if (from != rank) {
        const float2* const sent = mail + (from * kShare + i) * 2 * THREADS + thread;
        part = make_float4(sent[0].x, sent[0].y, sent[THREADS].x, sent[THREADS].y);
      }
      sum.x += part.x;
      sum.y += part.y;
      sum.z += part.z;
      sum.w += part.w;
    }
    store(v / (TN / 4), v % (TN / 4) * 4, sum);
  }
}

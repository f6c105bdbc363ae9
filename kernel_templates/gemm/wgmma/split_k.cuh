// The blocks of a cluster hold partial sums of one tile: each sums a share of the registers, in the order of rank, so that
// results are the same in every run. The parts themselves complete a phase of the receiver's barrier, so no block waits for a
// cluster barrier after its last product.
#pragma once

#include "common/async.cuh"

// Bytes that a block receives: of `sums` floats in the tile, its share from each of the others.
template <int SPLIT_K> __device__ constexpr u32 parts_bytes(int sums) { return sums * 4 / SPLIT_K * (SPLIT_K - 1); }

// `sums`: COUNT of a thread, in `share` this block's part of them, all ranks added. `parts`: parts_bytes() of shared memory that
// nothing else uses, on which `arrived` waits for its phase 0. Before it, all threads of the cluster arrive at the cluster
// barrier, behind the initialisation of `arrived`; this waits there. A block may leave when it has received all parts.
template <int SPLIT_K, int THREADS, int COUNT>
__device__ __forceinline__ void exchange_parts(const float* sums, float (&share)[COUNT / SPLIT_K], void* parts, u64* arrived, int thread,
                                               int rank) {
  constexpr int kShare = COUNT / SPLIT_K, kPairs = kShare / 2;
  static_assert(kShare % 2 == 0);
  float2* const mail = static_cast<float2*>(parts); // [from, without the receiver][pair][thread]
  const auto place = [&](int from, int to, int pair) { return mail + ((from < to ? from : from - 1) * kPairs + pair) * THREADS + thread; };
  wt::cluster_wait();
#pragma unroll
  for (int to = 0; to < SPLIT_K; ++to)
    if (to != rank)
#pragma unroll
      for (int i = 0; i < kPairs; ++i)
        wt::store_remote_async(wt::peer_address(place(rank, to, i), to),
                               make_float2(sums[to * kShare + 2 * i], sums[to * kShare + 2 * i + 1]), wt::peer_address(arrived, to));
  wt::barrier_wait(arrived, 0);
#pragma unroll
  for (int own = 0; own < SPLIT_K; ++own) // so that registers are indexed by constants
    if (own == rank)
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        float2 sum = make_float2(0.f, 0.f);
#pragma unroll
        for (int from = 0; from < SPLIT_K; ++from) {
          const float2 part =
              from == own ? make_float2(sums[own * kShare + 2 * i], sums[own * kShare + 2 * i + 1]) : *place(from, own, i);
          sum.x += part.x;
          sum.y += part.y;
        }
        share[2 * i] = sum.x;
        share[2 * i + 1] = sum.y;
      }
}

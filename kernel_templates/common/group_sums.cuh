// Two sums over each group of neighbouring channels, from the sums of threads to those of a team of blocks. All orders
// are fixed, so that the same launch gives the same bits each time.
#pragma once

#include "common/pair_batches.cuh"
#include "common/row_exchange.cuh"

namespace wt {

// GROUPS groups of SIZE channels. GROUPS * SIZE / VEC neighbouring threads cover the channels, and there are TURNS of
// these; other threads have no sums.
template <int THREADS, int SIZE, int GROUPS, int VEC, int TURNS> struct GroupSums {
  static constexpr int greatest_divisor(int a, int b) { return b == 0 ? a : greatest_divisor(b, a % b); }
  // A thread adds its channels of a unit itself: neighbours that are in the same group for certain.
  static constexpr int kUnit = greatest_divisor(SIZE, VEC), kUnits = VEC / kUnit;
  static constexpr int kLanes = THREADS / GROUPS >= 32 ? 32 : 1 << log2_floor(THREADS / GROUPS); // of a group
  static constexpr int kAcross = SIZE * GROUPS / VEC, kStride = kAcross | 1; // odd: turns are in different banks
  static_assert(THREADS % 32 == 0 && THREADS >= TURNS * kAcross);
  float2* parts; // kUnits * TURNS * kStride

  // use(group, sums) in one thread for each group. Every thread calls it; a barrier before the next call.
  template <typename Use> __device__ __forceinline__ void each(const float (&sums)[2][VEC], const Use& use) const {
    constexpr int kPerGroup = SIZE / kUnit;
    const int x = threadIdx.x % kAcross, turn = threadIdx.x / kAcross, lane = threadIdx.x % kLanes;
    if (turn < TURNS)
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
        float2 own = make_float2(0, 0);
#pragma unroll
        for (int k = u * kUnit; k < (u + 1) * kUnit; ++k) {
          own.x += sums[0][k];
          own.y += sums[1][k];
        }
        parts[(u * TURNS + turn) * kStride + x] = own;
      }
    __syncthreads();
    each_group([&](int g, bool exists) {
      Sums<2> all;
#pragma unroll 8
      for (int i = lane; i < (exists ? kPerGroup * TURNS : 0); i += kLanes) {
        const int unit = g * kPerGroup + i % kPerGroup;
        const float2 part = parts[(unit % kUnits * TURNS + i / kPerGroup) * kStride + unit / kUnits];
        all.v[0] += part.x;
        all.v[1] += part.y;
      }
      all = merge_lanes<kLanes>(all);
      if (exists && lane == 0) use(g, all);
    });
  }

  // use(group, whole) in one thread for each group: from pairs[block * GROUPS + group] of each block of the team, when
  // they are there. part_of(pair, block) makes a Part of a pair. Every thread calls it.
  template <typename Part, typename PartOf, typename Use>
  __device__ __forceinline__ void merge(const u64* pairs, int blocks, const PartOf& part_of, const Use& use) const {
    constexpr int kBatch = 5; // loads of a thread in flight
    const int lane = threadIdx.x % kLanes;
    each_group([&](int g, bool exists) {
      Part all;
      for (int block = lane; block < (exists ? blocks : 0); block += kBatch * kLanes) {
        const int count = min(kBatch, ceil_div(blocks - block, kLanes));
        float2 batch[kBatch];
        take_pairs<kBatch>(pairs + block * GROUPS + g, kLanes * GROUPS, count, batch);
#pragma unroll
        for (int n = 0; n < kBatch; ++n)
          if (n < count) all.merge(part_of(batch[n], block + n * kLanes));
      }
      all = merge_lanes<kLanes>(all);
      if (exists && lane == 0) use(g, all);
    });
  }

 private:
  template <typename Work> __device__ __forceinline__ void each_group(const Work& work) const {
    for (int first = 0; first < GROUPS; first += THREADS / kLanes) {
      const int g = first + static_cast<int>(threadIdx.x) / kLanes;
      work(g, g < GROUPS);
    }
  }
};

} // namespace wt

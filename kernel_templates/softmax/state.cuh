// What all implementations of softmax compute: the maximum and the sum of a part of a row, parts that become one, and
// the elements from the whole row's. A row can be spread over the blocks of a cluster, which exchange (maximum, sum)
// through distributed shared memory; a row of hundreds of KiB then fits the registers or the shared memory of several
// SMs and is still read once.
#pragma once

#include "common/async.cuh"
#include "common/exp_sum.cuh"
#include "common/reduce.cuh"
#include "common/vec.cuh"

template <typename T> struct PairOf { using type = __nv_bfloat162; };
template <> struct PairOf<__half> { using type = __half2; };

// Maximum of a vector. fmax drops a NaN; the sum keeps it, and with it the whole row, as it should.
template <typename T, int VEC> __device__ __forceinline__ float vector_max(const wt::Vec<T, VEC>& vector) {
  if constexpr (sizeof(T) == 2 && VEC % 2 == 0) { // pairs, without a conversion
    using Pair = typename PairOf<T>::type;
    const Pair* pairs = reinterpret_cast<const Pair*>(&vector);
    Pair max = pairs[0];
#pragma unroll
    for (int i = 1; i < VEC / 2; ++i) max = __hmax2(max, pairs[i]);
    return fmaxf(wt::to_float(max.x), wt::to_float(max.y));
  } else {
    float max = wt::to_float(vector.v[0]);
#pragma unroll
    for (int i = 1; i < VEC; ++i) max = fmaxf(max, wt::to_float(vector.v[i]));
    return max;
  }
}

template <typename T, int VEC>
__device__ __forceinline__ float exponential_sum(const wt::Vec<T, VEC>& vector, float offset) {
  float v[VEC], sum = 0;
  wt::unpack<T, VEC>(vector, v);
#pragma unroll
  for (int i = 0; i < VEC; ++i) sum += wt::exp_of(v[i], offset);
  return sum;
}

template <typename T, int VEC, bool LOG>
__device__ __forceinline__ wt::Vec<T, VEC> normalise(const wt::Vec<T, VEC>& vector, const wt::ExpSum& row) {
  float v[VEC];
  wt::unpack<T, VEC>(vector, v);
  if constexpr (LOG) {
    const float log_sum = logf(row.sum);
#pragma unroll
    for (int i = 0; i < VEC; ++i) v[i] = (v[i] - row.max) - log_sum;
  } else {
    const float offset = wt::exp_offset(row.max), scale = 1.0f / row.sum;
#pragma unroll
    for (int i = 0; i < VEC; ++i) v[i] = wt::exp_of(v[i], offset) * scale;
  }
  return wt::pack<T, VEC>(v);
}

// The parts of WIDTH lanes become one.
template <int WIDTH> __device__ __forceinline__ wt::ExpSum merge_lanes(wt::ExpSum part) {
  wt::ExpSum all;
  all.max = wt::warp_all_reduce<WIDTH>(part.max, wt::Max{});
  all.sum = wt::warp_all_reduce<WIDTH>(part.sum_at(all.max), wt::Sum{});
  return all;
}

// The whole row's state from each thread's part. Threads of a row are neighbours; `slots` holds one state for
// each warp of the row in each block of the cluster, for each row of the block.
template <int TPR, int RPB, int CLUSTER> struct Exchange {
  static constexpr int kWarps = TPR <= 32 ? 1 : TPR / 32;
  static constexpr int kSlots = kWarps * CLUSTER;
  static constexpr bool kNeeded = kSlots > 1;
  float2 slots[kNeeded ? RPB : 1][kNeeded ? kSlots : 1];

  __device__ __forceinline__ wt::ExpSum merge(wt::ExpSum part, u32 rank, int row) {
    part = merge_lanes<(TPR < 32 ? TPR : 32)>(part);
    if constexpr (kNeeded) {
      const int lane = threadIdx.x % 32, warp = threadIdx.x % TPR / 32;
      if constexpr (CLUSTER > 1) {
        if (lane < CLUSTER)
          wt::store_remote(wt::peer_address(&slots[row][rank * kWarps + warp], lane), make_float2(part.max, part.sum));
        wt::cluster_arrive();
        wt::cluster_wait();
      } else {
        if (lane == 0) slots[row][warp] = make_float2(part.max, part.sum);
        __syncthreads();
      }
      part = collect(row);
    }
    return part;
  }

  // For one row a block, and warps that are not all of the block's: across a cluster the parts announce themselves at
  // `arrived`, one phase a row.
  __device__ __forceinline__ wt::ExpSum merge(wt::ExpSum part, u32 rank, u64* arrived, u32 phase) {
    part = merge_lanes<32>(part);
    if constexpr (kNeeded) {
      const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      if constexpr (CLUSTER > 1) {
        if (threadIdx.x == 0) wt::barrier_arrive_expect(arrived, kSlots * sizeof(float2));
        if (lane < CLUSTER)
          wt::store_remote_async(wt::peer_address(&slots[0][rank * kWarps + warp], lane),
                                 make_float2(part.max, part.sum), wt::peer_address(arrived, lane));
        wt::barrier_wait(arrived, phase);
      } else {
        if (lane == 0) slots[0][warp] = make_float2(part.max, part.sum);
        wt::named_barrier<1, TPR>();
      }
      part = collect(0);
    }
    return part;
  }

  // Every lane reads its share, so that each group of lanes holds all of them.
  __device__ __forceinline__ wt::ExpSum collect(int row) const {
    constexpr int kShare = kSlots < 32 ? kSlots : 32;
    wt::ExpSum all;
#pragma unroll
    for (int i = 0; i < kSlots; i += kShare) {
      const float2 slot = slots[row][i + threadIdx.x % kShare];
      all.merge(wt::ExpSum{slot.x, slot.y});
    }
    return merge_lanes<kShare>(all);
  }
};

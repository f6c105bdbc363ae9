// What the threads of a team of blocks know of the channels of a slab becomes the whole of each channel. All orders are
// fixed, so that the same launch gives the same bits each time.
#pragma once

#include "common/channels.cuh"
#include "common/pair_batches.cuh"

namespace wt {

// A Part as a pair of numbers, where the number of its rows is known.
struct MomentPairs {
  using Part = Moments;
  static __device__ __forceinline__ float2 pair_of(const Part& part) { return make_float2(part.mean, part.squares); }
  static __device__ __forceinline__ Part part_of(float2 pair, float rows) {
    Part part;
    part.count = rows;
    part.mean = pair.x;
    part.squares = pair.y;
    return part;
  }
  // `share` is that of the other rows in both; `weight`: times the own rows.
  static __device__ __forceinline__ void merge(float2& own, float2 other, float share, float weight) {
    const float apart = other.x - own.x;
    own.x = fmaf(apart, share, own.x);
    own.y += fmaf(apart * apart, weight, other.y);
  }
};
template <typename Sums> struct SumPairs {
  using Part = Sums;
  static __device__ __forceinline__ float2 pair_of(const Part& part) { return make_float2(part.v[0], part.v[1]); }
  static __device__ __forceinline__ Part part_of(float2 pair, float) {
    Part part;
    part.v[0] = pair.x;
    part.v[1] = pair.y;
    return part;
  }
  static __device__ __forceinline__ void merge(float2& own, float2 other, float, float) {
    own.x += other.x;
    own.y += other.y;
  }
};

// In shared memory. CHANNELS / VEC neighbouring threads cover the channels; then `kLanes` lanes share one channel.
template <typename Pairs, int THREADS, int CHANNELS, int VEC> struct SlabExchange {
  using Part = typename Pairs::Part;
  static constexpr int kAcross = CHANNELS / VEC, kWarps = THREADS / 32, kLanes = THREADS / CHANNELS;
  static_assert(is_pow2(kAcross) && kAcross <= 32 && is_pow2(kLanes) && kLanes <= 32, "lanes merge parts");
  float2 pairs[kWarps][CHANNELS + 1]; // warps are in different banks
  float rows[kWarps];

  static __device__ __forceinline__ int channel() { return static_cast<int>(threadIdx.x) / kLanes; }
  static __device__ __forceinline__ bool is_first_lane() { return threadIdx.x % kLanes == 0; }

  // own[k]: of `count` rows of the thread. The whole of channel(), in all of its lanes. words[block * CHANNELS +
  // channel]: 0 before. rows_of(block) counts its rows. Every thread calls it; a barrier before the next call.
  template <typename RowsOf>
  __device__ __forceinline__ Part merge(float2 (&own)[VEC], int count, u64* words, int rank, int size,
                                        const RowsOf& rows_of) {
    constexpr int kBatch = 9; // loads of a thread in flight
    merge_turns(own, static_cast<float>(count));
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % kLanes, c = channel();
    Part of_block;
    for (int w = lane; w < kWarps; w += kLanes) of_block.merge(Pairs::part_of(pairs[w][c], rows[w]));
    of_block = merge_lanes<kLanes>(of_block);
    if (lane == 0) give_pair(words + i64(rank) * CHANNELS + c, Pairs::pair_of(of_block));
    Part all;
    for (int block = lane; block < size; block += kBatch * kLanes) {
      const int here = min(kBatch, ceil_div(size - block, kLanes));
      float2 batch[kBatch];
      take_pairs<kBatch>(words + i64(block) * CHANNELS + c, kLanes * CHANNELS, here, batch);
#pragma unroll
      for (int n = 0; n < kBatch; ++n)
        if (n < here) all.merge(Pairs::part_of(batch[n], static_cast<float>(rows_of(block + n * kLanes))));
    }
    return merge_lanes<kLanes>(all);
  }

 private:
  // Of the threads of a warp that have the same channels.
  __device__ __forceinline__ void merge_turns(float2 (&own)[VEC], float count) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int offset = kAcross; offset < 32; offset *= 2) {
      const float others = __shfl_xor_sync(0xffffffffu, count, offset), both = count + others,
                  share = both > 0 ? __fdividef(others, both) : 0.0f;
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        Pairs::merge(
            own[k],
            make_float2(__shfl_xor_sync(0xffffffffu, own[k].x, offset), __shfl_xor_sync(0xffffffffu, own[k].y, offset)),
            share, count * share);
      count = both;
    }
    if (lane >= kAcross) return;
#pragma unroll
    for (int k = 0; k < VEC; ++k) pairs[warp][lane * VEC + k] = own[k];
    if (lane == 0) rows[warp] = count;
  }
};

} // namespace wt

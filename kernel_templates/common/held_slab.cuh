// A slab of channels in the registers of a block, or of the blocks of a cluster, where channels are innermost: for
// small images, where latency is most of the time. One launch, all loads at once, one exchange between warps. All
// orders are fixed, so that the same launch gives the same bits each time.
#pragma once

#include "common/async.cuh"
#include "common/slab_exchange.cuh"

namespace wt {

// CHANNELS / VEC neighbouring threads cover the channels, and the threads of a cluster take turns at the rows of
// pixels: each thread holds HELD vectors of a tensor, or one less. The tensor has less than 2^31 elements.
template <typename T, int THREADS, int CHANNELS, int VEC, int HELD, int CLUSTER> struct HeldSlab {
  using V = Vec<T, VEC>;
  static constexpr int kThreads = THREADS, kChannels = CHANNELS, kVec = VEC, kBlocks = CLUSTER;
  static constexpr int kAcross = CHANNELS / VEC, kTurns = THREADS / kAcross * CLUSTER;
  static_assert(CHANNELS % VEC == 0 && is_pow2(kAcross) && kAcross <= 32, "lanes of a warp cover the channels");
  static_assert(HELD * VEC * sizeof(T) <= 128, "more than 128 bytes of a tensor in the registers of a thread spill");
  int rank, turn, channel; // of the block in its cluster; of the thread in the cluster; of the tensor
  int first, step;         // of the thread's vectors, in elements

  __device__ __forceinline__ HeldSlab(int rows, int channels)
      : rank(static_cast<int>(blockIdx.x) % CLUSTER),
        turn(rank * (kTurns / CLUSTER) + static_cast<int>(threadIdx.x) / kAcross),
        channel(static_cast<int>(blockIdx.x) / CLUSTER * CHANNELS + static_cast<int>(threadIdx.x) % kAcross * VEC),
        first(turn * channels + channel), step(kTurns * channels), longer_(rows - (HELD - 1) * kTurns) {}
  // Whether the thread has vector i.
  __device__ __forceinline__ bool has(int i) const { return i < HELD - 1 || turn < longer_; }
  __device__ __forceinline__ int element(int i) const { return first + i * step; }
  // Of `turns` neighbouring turns.
  __device__ __forceinline__ float rows_of(int first_turn, int turns) const {
    return static_cast<float>((HELD - 1) * turns + min(max(longer_ - first_turn, 0), turns));
  }
  __device__ __forceinline__ void load(const T* tensor, V (&held)[HELD]) const {
#pragma unroll
    for (int i = 0; i < HELD; ++i)
      if (has(i)) held[i] = wt::load<kDefault, V>(tensor + element(i));
  }
  // The mean of each channel and the sum of the squares of the deviations from it, over the thread's vectors.
  __device__ __forceinline__ void moments(const V (&held)[HELD], float2 (&own)[VEC]) const {
    const float share = has(HELD - 1) ? 1.0f / HELD : HELD > 1 ? 1.0f / (HELD > 1 ? HELD - 1 : 1) : 0.0f;
    float v[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) own[k] = make_float2(0, 0);
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      if (!has(i)) continue;
      unpack<T, VEC>(held[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) own[k].x += v[k];
    }
#pragma unroll
    for (int k = 0; k < VEC; ++k) own[k].x *= share;
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
      if (!has(i)) continue;
      unpack<T, VEC>(held[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) own[k].y = fmaf(v[k] - own[k].x, v[k] - own[k].x, own[k].y);
    }
  }

 private:
  int longer_; // the turns from 0 on that have HELD vectors
};

// The pairs of the threads of a slab become those of the whole. In shared memory.
template <typename Pairs, typename Slab> struct HeldExchange {
  static constexpr int kChannels = Slab::kChannels, kVec = Slab::kVec, kBlocks = Slab::kBlocks;
  static constexpr int kWarps = Slab::kThreads / 32, kParts = kWarps * kBlocks, kAcross = Slab::kAcross;
  static constexpr int kTurns = 32 / kAcross; // of a warp
  static constexpr int kLanes = kParts < kTurns ? kParts : kTurns, kShare = kParts / kLanes;
  static_assert(is_pow2(kParts), "lanes have the same number of parts");
  float2 parts[kParts][kChannels];

  // Before the loads whose latency hides it: tells the peers that this block runs.
  __device__ __forceinline__ void announce() const {
    if constexpr (kBlocks > 1) cluster_arrive();
  }
  // Every thread calls it once, and all threads of the cluster get the same bits.
  __device__ __forceinline__ void merge(const Slab& slab, float2 (&own)[kVec]) {
    const int lane = static_cast<int>(threadIdx.x) % 32, across = lane % kAcross;
    merge_lanes<kTurns>(slab, slab.turn, 1, own);
    if constexpr (kParts > 1) {
      put(slab.rank * kWarps + static_cast<int>(threadIdx.x) / 32, lane, own);
      const int part = lane / kAcross % kLanes * kShare;
#pragma unroll
      for (int k = 0; k < kVec; ++k) own[k] = parts[part][across * kVec + k];
#pragma unroll
      for (int i = 1; i < kShare; ++i)
#pragma unroll
        for (int k = 0; k < kVec; ++k)
          join(slab, own[k], parts[part + i][across * kVec + k], part * kTurns, i * kTurns, (part + i) * kTurns,
               kTurns);
      merge_lanes<kLanes>(slab, part * kTurns, kShare * kTurns, own);
    }
    // Rounding depends on which of two is merged with the other.
#pragma unroll
    for (int k = 0; k < kVec; ++k)
      own[k] =
          make_float2(__shfl_sync(0xffffffffu, own[k].x, across, 32), __shfl_sync(0xffffffffu, own[k].y, across, 32));
  }

 private:
  // `own` of the rows of `turns` turns from the turn `first` on, and those that follow or precede them. How many rows
  // these are is known before the pairs, so the pairs do not wait for a division.
  static __device__ __forceinline__ void join(const Slab& slab, float2& own, float2 other, int first, int turns,
                                              int other_first, int other_turns) {
    const float rows = slab.rows_of(first, turns), others = slab.rows_of(other_first, other_turns),
                both = rows + others, share = both > 0 ? __fdividef(others, both) : 0.0f;
    Pairs::merge(own, other, share, rows * share);
  }
  // LANES groups of kAcross neighbouring lanes, each with `turns` turns from a multiple of that on.
  template <int LANES>
  static __device__ __forceinline__ void merge_lanes(const Slab& slab, int turn, int turns, float2 (&own)[kVec]) {
#pragma unroll
    for (int lanes = 1; lanes < LANES; lanes *= 2) {
      const int both = turns * lanes, begin = turn / both * both;
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        const float2 other = make_float2(__shfl_xor_sync(0xffffffffu, own[k].x, lanes * kAcross),
                                         __shfl_xor_sync(0xffffffffu, own[k].y, lanes * kAcross));
        join(slab, own[k], other, begin, both, begin ^ both, both);
      }
    }
  }
  // A part of a warp, to all blocks; then all parts are there.
  __device__ __forceinline__ void put(int part, int lane, const float2 (&own)[kVec]) {
    if constexpr (kBlocks > 1) cluster_wait(); // the peers run
    if (lane < kAcross)
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        float2* const place = &parts[part][lane * kVec + k];
        if constexpr (kBlocks == 1)
          *place = own[k];
        else
#pragma unroll
          for (int peer = 0; peer < kBlocks; ++peer) store_remote(peer_address(place, peer), own[k]);
      }
    if constexpr (kBlocks > 1) {
      cluster_arrive();
      cluster_wait();
    } else {
      __syncthreads();
    }
  }
};

} // namespace wt

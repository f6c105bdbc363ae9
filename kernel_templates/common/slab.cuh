// A slab of an image in shared memory, where channels are innermost: the pixels of some neighbouring channels, shared
// by the blocks of a cluster, so that the device's memory is read once, whatever follows from sums over the slab. All
// orders are fixed, so that the same launch gives the same bits each time.
#pragma once

#include "common/async.cuh"
#include "common/channels.cuh"
#include "common/cp_async.cuh"
#include "common/grid_rounds.cuh"
#include "common/reduce.cuh"

namespace wt {

// One of `parts` of the rows of pixels of a slab, for a block. CHANNELS / VEC neighbouring threads cover the channels
// and take turns at the rows, with the vectors 0 to `count` of their own. A thread reads only what it has copied
// itself. Slabs of an image follow one another, so that blocks that share sectors of 32 bytes run at the same time.
// WHOLE: the memory has room for all vectors; otherwise, for `most` of each thread and tensor.
template <typename T, int THREADS, int CHANNELS, int VEC, bool WHOLE> struct Slab {
  using V = Vec<T, VEC>;
  static constexpr int kAcross = CHANNELS / VEC, kTurns = THREADS / kAcross, kChunks = 4;
  template <int N> static constexpr int kBatch = 4 / N; // more vectors of N tensors in flight spill
  static_assert(CHANNELS % VEC == 0 && kTurns > 0 && sizeof(V) >= 4, "whole vectors that cp.async can copy");
  int channel, rows;                     // the thread's first channel of the slab; of the block
  int count, held, capacity, chunk;      // vectors of this thread; of any thread: that the memory holds, and of a chunk
  i64 image, first_channel, first, step; // the slab's place; of the thread's vectors, in elements of the tensor
  V* own;

  __device__ __forceinline__ Slab(i64 slab, int part, int parts, int channels, int pixels, int most, u8* memory) {
    const int slabs = channels / CHANNELS, turn = threadIdx.x / kAcross; // of an image
    image = slab / slabs;
    first_channel = slab % slabs * CHANNELS;
    channel = threadIdx.x % kAcross * VEC;
    rows = rows_of(part, parts, pixels);
    count = turn < kTurns && turn < rows ? (rows - 1 - turn) / kTurns + 1 : 0;
    capacity = ceil_div(ceil_div(pixels, parts), kTurns);
    if (!WHOLE) capacity = min(capacity, most);
    held = WHOLE ? count : min(count, capacity);
    chunk = ceil_div(capacity, kChunks);
    first = (image * pixels + share_begin(pixels, part, parts) + turn) * channels + first_channel + channel;
    step = i64(kTurns) * channels;
    own = reinterpret_cast<V*>(memory) + threadIdx.x;
  }
  static __device__ __forceinline__ int rows_of(int part, int parts, int pixels) {
    return static_cast<int>(share_begin(pixels, part + 1, parts) - share_begin(pixels, part, parts));
  }
  __device__ __forceinline__ int rows_of_first_chunk() const { return min(rows, chunk * kTurns); }
  __device__ __forceinline__ i64 element(int i) const { return first + i * step; }

  // Begins to copy the slab of each tensor, in chunks.
  template <int N> __device__ __forceinline__ void copy(const T* const (&tensors)[N]) const {
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll 4
      for (int i = c * chunk; i < min(held, (c + 1) * chunk); ++i)
#pragma unroll
        for (int n = 0; n < N; ++n)
          async_copy<sizeof(V)>(shared_address(&own[(n * capacity + i) * THREADS]), tensors[n] + element(i));
      cp_async_commit();
    }
  }
  // use(i, v) for the vectors of a chunk, when it is there: v[n] is vector i of tensor n.
  template <int CHUNK, int N, typename Use> __device__ __forceinline__ void each_of_chunk(const Use& use) const {
    cp_async_wait<kChunks - 1 - CHUNK>();
    use_held<N>(CHUNK * chunk, min(held, (CHUNK + 1) * chunk), use);
  }
  // For all vectors; those that the memory does not hold come last.
  template <int N, typename Use>
  __device__ __forceinline__ void each_as_it_comes(const T* const (&tensors)[N], const Use& use) const {
    each_of_chunk<0, N>(use);
    each_of_chunk<1, N>(use);
    each_of_chunk<2, N>(use);
    each_of_chunk<3, N>(use);
    if constexpr (!WHOLE)
      for (int i = held; i < count; i += kBatch<N>) use_batch(tensors, i, use);
  }
  // For all vectors again, those first that were read last and may still be in the L2.
  template <int N, typename Use>
  __device__ __forceinline__ void each(const T* const (&tensors)[N], const Use& use) const {
    if constexpr (!WHOLE)
      for (int i = held + (count - held - 1) / kBatch<N> * kBatch<N>; i >= held && i < count; i -= kBatch<N>)
        use_batch(tensors, i, use);
    use_held<N>(0, held, use);
  }

  // totals[channel]: the sums over all turns. Every thread of the block calls it; a barrier before and after the sums.
  __device__ __forceinline__ void add_turns(const float (&sums)[VEC], float* totals) const {
    constexpr int kTeam = 8, kTeams = THREADS / kTeam;
    __shared__ float parts[VEC][THREADS];
    const int lane = threadIdx.x % kTeam;
#pragma unroll
    for (int k = 0; k < VEC; ++k) parts[k][threadIdx.x] = sums[k];
    __syncthreads();
#pragma unroll 4
    for (int round = 0; round < ceil_div(CHANNELS, kTeams); ++round) {
      const int at = static_cast<int>(threadIdx.x) / kTeam + round * kTeams, x = at % kAcross, k = at / kAcross;
      float sum = 0;
      for (int turn = lane; turn < (at < CHANNELS ? kTurns : 0); turn += kTeam) sum += parts[k][turn * kAcross + x];
      sum = warp_all_reduce<kTeam>(sum, Sum{});
      if (at < CHANNELS && lane == 0) totals[x * VEC + k] = sum;
    }
    __syncthreads();
  }

 private:
  template <int N, typename Use> __device__ __forceinline__ void use_held(int begin, int end, const Use& use) const {
#pragma unroll 4
    for (int i = begin; i < end; ++i) {
      V v[N];
#pragma unroll
      for (int n = 0; n < N; ++n) v[n] = own[(n * capacity + i) * THREADS];
      use(i, v);
    }
  }
  template <int N, typename Use>
  __device__ __forceinline__ void use_batch(const T* const (&tensors)[N], int begin, const Use& use) const {
    V v[kBatch<N>][N];
#pragma unroll
    for (int b = 0; b < kBatch<N>; ++b)
      if (begin + b < count)
#pragma unroll
        for (int n = 0; n < N; ++n) v[b][n] = load<kDefault, V>(tensors[n] + element(begin + b));
#pragma unroll
    for (int b = 0; b < kBatch<N>; ++b)
      if (begin + b < count) use(begin + b, v[b]);
  }
};

// The sum of SIZE numbers in shared memory by a warp; all lanes get it.
template <int SIZE> __device__ __forceinline__ float warp_sum(const float* numbers) {
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < SIZE; i += 32)
    if (i + static_cast<int>(threadIdx.x) % 32 < SIZE) sum += numbers[i + threadIdx.x % 32];
  return warp_all_reduce<32>(sum, Sum{});
}

// N pairs of numbers of each block of a cluster, which all blocks get.
template <int N, int CLUSTER> struct ClusterPairs {
  float2 of[CLUSTER][N];

  // Before the loads whose latency hides it: tells the peers that this block runs.
  __device__ __forceinline__ void announce() const {
    if constexpr (CLUSTER > 1) cluster_arrive();
  }
  // Every thread calls it, before the first put().
  __device__ __forceinline__ void begin() const {
    if constexpr (CLUSTER > 1) cluster_wait();
  }
  __device__ __forceinline__ void put(int rank, int i, float2 pair) {
    if constexpr (CLUSTER == 1)
      of[0][i] = pair;
    else
#pragma unroll
      for (int peer = 0; peer < CLUSTER; ++peer) store_remote(peer_address(&of[rank][i], peer), pair);
  }
  // Every thread calls it; then all pairs are there.
  __device__ __forceinline__ void end() const {
    if constexpr (CLUSTER > 1) {
      cluster_arrive();
      cluster_wait();
    } else {
      __syncthreads();
    }
  }
};

// N pairs of numbers of each block of a cooperative launch become pairs of all blocks, in as many rounds as there are
// slabs. pairs[(round * blocks + block) * N + i].
template <int N, int THREADS> struct GridPairs {
  float2* pairs;
  u32* arrivals;

  __device__ __forceinline__ void put(i64 round, int i, float2 pair) const {
    pairs[(round * gridDim.x + blockIdx.x) * N + i] = pair;
  }
  // merged[i]: of all blocks. part_of(pair, block) makes a Part of a pair. Every thread calls it.
  template <typename Part, typename PartOf>
  __device__ __forceinline__ void merge(i64 round, Part* merged, const PartOf& part_of) const {
    static_assert(is_pow2(N) && N <= THREADS && is_pow2(THREADS), "a thread merges parts with one place");
    __shared__ __align__(16) u8 memory[THREADS * sizeof(Part)];
    const auto slots = reinterpret_cast<Part*>(memory);
    const int blocks = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (thread == 0) {
      grid_arrive(arrivals);
      grid_wait(arrivals, static_cast<u32>((round + 1) * blocks));
    }
    __syncthreads();
    const float2* const all = pairs + round * blocks * N;
    Part part;
#pragma unroll 8
    for (int block = thread / N; block < blocks; block += THREADS / N)
      part.merge(part_of(all[block * N + thread % N], block));
    slots[thread] = part;
#pragma unroll
    for (int half = THREADS / 2; half >= N; half /= 2) {
      __syncthreads();
      if (thread >= half) continue;
      part.merge(slots[thread + half]);
      slots[thread] = part;
    }
    if (thread < N) merged[thread] = part;
    __syncthreads();
  }
};

} // namespace wt

// Slabs of neighbouring channels of all images in the shared memory of teams of blocks, where channels are innermost.
// What does not fit is read a second time, perhaps from the L2. All blocks run at the same time.
#pragma once

#include "common/channels.cuh"
#include "common/cp_async.cuh"
#include "common/l2_hints.cuh"
#include "common/vec.cuh"

namespace wt {

// A vector's element in the tensors, and its place in shared memory if it stays there until it is used again.
template <typename V> struct SlabPlace {
  i64 element;
  V* held;
};

// A vector of a tensor that is read once, if the tensor exists: an Extra of SlabLaps.
template <typename T, bool EXISTS, int VEC> struct SlabExtra {
  Vec<T, VEC> v;

  __device__ __forceinline__ void load(const T* at) { v = wt::load<kStreaming, Vec<T, VEC>>(at); }
  __device__ __forceinline__ void unpack(float (&out)[VEC]) const { wt::unpack<T, VEC>(v, out); }
};
template <typename T, int VEC> struct SlabExtra<T, false, VEC> {
  __device__ __forceinline__ void load(const T*) {}
  __device__ __forceinline__ void unpack(float (&)[VEC]) const {}
};

// Teams of `size` blocks: team t has the slabs t, t + teams, ... of CHANNELS channels. Blocks share the rows of pixels.
// CHANNELS / VEC neighbouring threads cover the channels and take turns at the rows of their block. A thread has room
// for some vectors of N tensors, which it copies there itself, lap by lap: the first lap may be short, and the last one
// stays for the second use. HINTS: the L2 keeps the lap before the last one, and no other; nor does it keep the first
// ONCE tensors, which are not copied again.
template <typename T, int N, int ONCE, int THREADS, int CHANNELS, int VEC, bool HINTS> struct SlabLaps {
  using V = Vec<T, VEC>;
  using Place = SlabPlace<V>;
  static constexpr int kAcross = CHANNELS / VEC, kTurns = THREADS / kAcross, kChunks = 4, kBatch = N == 1 ? 4 : 3;
  static_assert(sizeof(V) == 16 && THREADS % kAcross == 0, "copies of 16 bytes, and no threads are left over");
  int slab, rank, size, channel, count; // now; the thread's first channel of the slab, and its vectors

  // memory: N * room * THREADS vectors.
  __device__ __forceinline__ SlabLaps(int teams, int size_, i64 rows, int channels, int room, u8* memory)
      : slab(static_cast<int>(blockIdx.x) / size_), rank(static_cast<int>(blockIdx.x) % size_), size(size_),
        teams_(teams), slabs_(channels / CHANNELS), room_(room), step_(i64(kTurns) * channels) {
    const int thread = static_cast<int>(threadIdx.x), turn = thread / kAcross;
    channel = thread % kAcross * VEC;
    least_rows_ = static_cast<int>(rows / size);
    longer_ = static_cast<int>(rows % size);
    count = max(0, rows_of(rank) - turn + kTurns - 1) / kTurns;
    laps_ = ceil_div(count, room);
    first_ = (share_begin(rows, rank, size) + turn) * channels + channel;
    own_ = reinterpret_cast<V*>(memory) + thread;
    if constexpr (HINTS) {
      once_ = evict_first();
      again_ = evict_last();
    }
  }
  __device__ __forceinline__ int rows_of(int block) const { return least_rows_ + (block < longer_ ? 1 : 0); }
  __device__ __forceinline__ bool more() const { return slab < slabs_; }
  __device__ __forceinline__ void advance() { slab += teams_; }

  // Begins to copy the first slab.
  __device__ __forceinline__ void copy(const T* const (&tensors)[N]) const {
    for (int c = 0; c < kChunks; ++c) {
      copy_chunk(tensors, slab, 0, c, laps_ == 2);
      cp_async_commit();
    }
  }
  // The first vector of tensor 0; waits for it. Undefined if there is none.
  __device__ __forceinline__ V first() const {
    cp_async_wait<kChunks - 1>();
    return own_[0];
  }
  // Brings half of what each() uses first to the L2, of another tensor.
  __device__ __forceinline__ void prefetch(const T* tensor) const {
    for (int i = 0; i < min(room_ / 2, length(laps_ - 1)); ++i) prefetch_l2(tensor + element(slab, laps_ - 1, i));
  }
  // use(place, v, more) for the vectors as they come: v[n] is of tensor n; load(element, more) has loaded more, an
  // Extra. after() behind each chunk.
  template <typename Extra, typename Load, typename Use, typename After>
  __device__ __forceinline__ void each_as_it_comes(const T* const (&tensors)[N], const Load& load, const Use& use,
                                                   const After& after) const {
    for (int lap = 0; lap < laps_; ++lap)
      for (int c = 0; c < kChunks; ++c) {
        use_chunk<Extra>(lap, c, load, use);
        if (lap + 1 < laps_) copy_chunk(tensors, slab, lap + 1, c, lap + 3 == laps_);
        cp_async_commit();
        after();
      }
  }
  // The same for all vectors again, the latest lap first. What is not there is copied from `again`; then the next slab.
  template <typename Extra, typename Load, typename Use>
  __device__ __forceinline__ void each_and_copy_next(const T* const (&again)[N], const T* const (&tensors)[N],
                                                     const Load& load, const Use& use) const {
    for (int lap = laps_ - 1; lap >= 0; --lap)
      for (int c = 0; c < kChunks; ++c) {
        use_chunk<Extra>(lap, c, load, use);
        if (lap > 0)
          copy_chunk(again, slab, lap - 1, c, false);
        else if (slab + teams_ < slabs_)
          copy_chunk(tensors, slab + teams_, 0, c, laps_ == 2);
        cp_async_commit();
      }
  }

 private:
  // Vectors of a lap, and the element of one of them.
  __device__ __forceinline__ int length(int lap) const { return lap == 0 ? count - (laps_ - 1) * room_ : room_; }
  __device__ __forceinline__ i64 element(int of, int lap, int i) const {
    const int before = lap == 0 ? 0 : count - (laps_ - lap) * room_;
    return first_ + i64(of) * CHANNELS + (before + i) * step_;
  }
  __device__ __forceinline__ int chunk_begin(int chunk) const { return (chunk * room_ + kChunks - 1) / kChunks; }
  // Each chunk of copies is a group; each chunk that is used has been followed by kChunks - 1 groups.
  template <typename Extra, typename Load, typename Use>
  __device__ __forceinline__ void use_chunk(int lap, int chunk, const Load& load, const Use& use) const {
    cp_async_wait<kChunks - 1>();
    const int end = min(chunk_begin(chunk + 1), length(lap));
    for (int i = chunk_begin(chunk); i < end; i += kBatch) {
      V v[kBatch][N];
      Extra more[kBatch];
      const i64 at = element(slab, lap, i);
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        if (i + b < end) {
#pragma unroll
          for (int n = 0; n < N; ++n) v[b][n] = own_[(n * room_ + i + b) * THREADS];
          load(at + b * step_, more[b]);
        }
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        if (i + b < end)
          use(Place{at + b * step_, lap == laps_ - 1 ? &own_[(i + b) * THREADS] : nullptr}, v[b], more[b]);
    }
  }
  __device__ __forceinline__ void copy_chunk(const T* const (&tensors)[N], int of, int lap, int chunk,
                                             bool keep) const {
    const int end = min(chunk_begin(chunk + 1), length(lap));
    const u64 policy = keep ? again_ : once_;
    i64 at = element(of, lap, chunk_begin(chunk));
#pragma unroll 4
    for (int i = chunk_begin(chunk); i < end; ++i, at += step_)
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const u32 to = shared_address(&own_[(n * room_ + i) * THREADS]);
        if constexpr (HINTS)
          async_copy_hinted(to, tensors[n] + at, n < ONCE ? once_ : policy);
        else
          async_copy<16>(to, tensors[n] + at);
      }
  }

  int teams_, slabs_, room_, laps_, least_rows_, longer_;
  i64 first_, step_; // elements: the thread's first one of slab 0; between its rows
  u64 once_ = 0, again_ = 0;
  V* own_;
};

} // namespace wt

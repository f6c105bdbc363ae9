// Images in the shared memory of teams of blocks, where channels are innermost: a team holds an image, so that the
// device's memory is read once, and bulk copies fill what it has used with its next images. The part of a block is one
// range of memory: some rows of pixels of all channels. All blocks run at the same time. sm_90.
#pragma once

#include "common/async.cuh"
#include "common/channels.cuh"

namespace wt {

constexpr int kMostSlots = 64; // of a ring

// Teams of `size` blocks: team t has the images t, t + teams, ... A part has `chunks` chunks, one for each slot of the
// ring, each of the same rows of N tensors; there are slots for all of them, or more. CHANNELS / VEC neighbouring
// threads cover the channels, and TURNS of these take turns at the rows, with BATCH rows each of a chunk.
template <typename T, int N, int CHANNELS, int VEC, int TURNS, int BATCH> struct ImageRing {
  using V = Vec<T, VEC>;
  static constexpr int kAcross = CHANNELS / VEC, kChunkRows = TURNS * BATCH;
  static constexpr i64 kSlotBytes = i64(kChunkRows) * CHANNELS * sizeof(T); // of a tensor
  static_assert(CHANNELS % VEC == 0 && CHANNELS * sizeof(T) % 16 == 0, "bulk copies move 16-byte pieces");
  int rank, size, channel, rows; // of the block; the thread's first channel; rows of the block
  i64 image;

  // memory: slots * N * kSlotBytes. full: kMostSlots barriers. Every thread calls it.
  __device__ __forceinline__ ImageRing(const T* const (&tensors)[N], int teams, int size_, i64 images, int pixels,
                                       int slots, u8* memory, u64* full)
      : rank(static_cast<int>(blockIdx.x) % size_), size(size_), image(static_cast<int>(blockIdx.x) / size_),
        images_(images), next_image_(image), pixels_(pixels), teams_(teams), slots_(slots), memory_(memory),
        full_(full) {
    const int thread = static_cast<int>(threadIdx.x);
    channel = thread % kAcross * VEC;
    turn_ = thread < TURNS * kAcross ? thread / kAcross : kChunkRows; // the others have no row
    first_row_ = static_cast<int>(share_begin(pixels, rank, size));
    rows = rows_of(rank);
    chunks_ = ceil_div(ceil_div(pixels, size), kChunkRows);
#pragma unroll
    for (int n = 0; n < N; ++n) from_[n] = tensors[n];
    if (thread == 0) {
      for (int s = 0; s < slots; ++s) barrier_init(&full[s], 1);
      barrier_init_fence();
    }
    __syncthreads();
    for (int s = 0; s < slots; ++s) fetch(s);
  }
  __device__ __forceinline__ int rows_of(int block) const {
    return static_cast<int>(share_begin(pixels_, block + 1, size) - share_begin(pixels_, block, size));
  }
  __device__ __forceinline__ int rows_of_first_chunk() const { return min(rows, kChunkRows); }
  __device__ __forceinline__ bool more() const { return image < images_; }
  // After each_and_fetch().
  __device__ __forceinline__ void advance() {
    image += teams_;
    place_ = step_by(chunks_);
  }

  // use(v) for the thread's vectors of the first chunk, or of all chunks, as they come: v[n] is of tensor n.
  template <typename Use> __device__ __forceinline__ void each_of_first_chunk(const Use& use) const {
    each_of(0, place_, [&](int, const V(&v)[N]) { use(v); });
  }
  template <typename Use> __device__ __forceinline__ void each_as_it_comes(const Use& use) const {
    Place at = place_;
    for (int c = 0; c < chunks_; ++c, step(at)) each_of(c, at, [&](int, const V(&v)[N]) { use(v); });
  }
  // use(i, v) for the vectors at elements i, again; it stores what follows from them. Then the slots get chunks of the
  // next images.
  template <typename Use> __device__ __forceinline__ void each_and_fetch(const Use& use) {
    Place at = place_;
    const i64 first = (image * pixels_ + first_row_) * CHANNELS + channel;
    for (int c = 0; c < chunks_; ++c, step(at)) {
      const i64 here = first + i64(c * kChunkRows + turn_) * CHANNELS;
      each_of(c, at, [&](int b, const V(&v)[N]) { use(here + b * TURNS * CHANNELS, v); });
      if (next_image_ >= images_) continue;
      __syncthreads();
      fetch(at.slot);
    }
  }

 private:
  struct Place {
    int slot;
    u32 phase;
  };
  __device__ __forceinline__ void step(Place& at) const {
    if (++at.slot < slots_) return;
    at.slot = 0;
    at.phase ^= 1;
  }
  __device__ __forceinline__ Place step_by(int chunks) const {
    const bool wraps = place_.slot + chunks >= slots_; // once at most
    return {place_.slot + chunks - (wraps ? slots_ : 0), place_.phase ^ static_cast<u32>(wraps)};
  }
  template <typename Use> __device__ __forceinline__ void each_of(int chunk, const Place& at, const Use& use) const {
    const int here = min(rows - chunk * kChunkRows, kChunkRows);
    const V* const own = reinterpret_cast<const V*>(memory_ + at.slot * N * kSlotBytes) + threadIdx.x;
    V v[BATCH][N];
    barrier_wait(&full_[at.slot], at.phase);
#pragma unroll
    for (int b = 0; b < BATCH; ++b)
      if (turn_ + b * TURNS < here)
#pragma unroll
        for (int n = 0; n < N; ++n) v[b][n] = own[b * TURNS * kAcross + n * (kSlotBytes / static_cast<i64>(sizeof(V)))];
#pragma unroll
    for (int b = 0; b < BATCH; ++b)
      if (turn_ + b * TURNS < here) use(b, v[b]);
  }
  // Fills a slot with the next chunk. After a barrier behind the last read of the slot.
  __device__ __forceinline__ void fetch(int slot) {
    if (next_image_ >= images_) return;
    const int begin = next_chunk_ * kChunkRows;
    if (threadIdx.x == 0) {
      const u32 bytes = max(min(rows - begin, kChunkRows), 0) * CHANNELS * static_cast<u32>(sizeof(T));
      barrier_arrive_expect(&full_[slot], N * bytes);
#pragma unroll
      for (int n = 0; n < N; ++n)
        if (bytes > 0) // else a smaller part than that of other blocks
          bulk_load(memory_ + (slot * N + n) * kSlotBytes,
                    from_[n] + (next_image_ * pixels_ + first_row_ + begin) * CHANNELS, bytes, &full_[slot]);
    }
    if (++next_chunk_ < chunks_) return;
    next_chunk_ = 0;
    next_image_ += teams_;
  }

  const T* from_[N];
  i64 images_, next_image_;
  int pixels_, teams_, slots_, chunks_, first_row_, turn_, next_chunk_ = 0;
  Place place_{0, 0}; // of the first chunk of the image
  u8* memory_;
  u64* full_;
};

} // namespace wt

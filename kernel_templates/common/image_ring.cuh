// Images in the shared memory of teams of blocks, where channels are innermost: a team holds an image, so that the
// device's memory is read once, and bulk copies fill what it has used with its next images. The part of a block is one
// range of memory: some rows of pixels of all channels. All blocks run at the same time. sm_90.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

namespace wt {

constexpr int kMostSlots = 32; // of a ring

// Teams of `size` blocks: team t has the images t, t + teams, ... A part has chunks, each of the same rows of N
// tensors; there are slots for all of them, or more. CHANNELS / VEC neighbouring threads cover the channels, and TURNS
// of these take turns at the rows, with two rows each of a chunk.
template <typename T, int N, int CHANNELS, int VEC, int TURNS> struct ImageRing {
  using V = Vec<T, VEC>;
  static constexpr int kAcross = CHANNELS / VEC, kChunkRows = 2 * TURNS;
  static constexpr i64 kSlotBytes = i64(kChunkRows) * CHANNELS * sizeof(T); // of a tensor
  static_assert(CHANNELS % VEC == 0 && CHANNELS * sizeof(T) % 16 == 0, "bulk copies move 16-byte pieces");
  int rank, size, image, channel, rows; // of the team, now; the thread's first channel; of the block

  // memory: slots * N * kSlotBytes. full: kMostSlots barriers. Every thread calls it.
  __device__ __forceinline__ ImageRing(const T* const (&tensors)[N], int teams, int size_, int images, int pixels,
                                       int slots, u8* memory, u64* full)
      : rank(static_cast<int>(blockIdx.x) % size_), size(size_), image(static_cast<int>(blockIdx.x) / size_),
        images_(images), next_image_(image), pixels_(pixels), teams_(teams), slots_(slots), memory_(memory),
        full_(full) {
    const int thread = static_cast<int>(threadIdx.x);
    channel = thread % kAcross * VEC;
    turn_ = thread < TURNS * kAcross ? thread / kAcross : kChunkRows; // others have no row
    least_rows_ = pixels / size;
    longer_ = pixels % size;
    first_row_ = rank * least_rows_ + min(rank, longer_);
    rows = rows_of(rank);
    chunks_ = ceil_div(rows, kChunkRows);
#pragma unroll
    for (int n = 0; n < N; ++n) from_[n] = tensors[n];
    if (thread == 0) {
      for (int s = 0; s < slots; ++s) barrier_init(&full[s], 1);
      barrier_init_fence();
    }
    __syncthreads();
    for (int s = 0; s < slots; ++s) fetch(s);
  }
  __device__ __forceinline__ int rows_of(int block) const { return least_rows_ + (block < longer_ ? 1 : 0); }
  __device__ __forceinline__ int rows_of_first_chunk() const { return min(rows, kChunkRows); }
  __device__ __forceinline__ bool more() const { return image < images_; }

  // use(v) for the thread's vectors of the first chunk, or of all chunks, as they come: v[n] is of tensor n.
  template <typename Use> __device__ __forceinline__ void each_of_first_chunk(const Use& use) const {
    each_of(0, first_, [&](int, const V(&v)[N]) { use(v); });
  }
  template <typename Use> __device__ __forceinline__ void each_as_it_comes(const Use& use) const {
    Place at = first_;
    for (int c = 0; c < chunks_; ++c, step(at)) each_of(c, at, [&](int, const V(&v)[N]) { use(v); });
  }
  // use(i, v) for the vectors at elements i, again; it stores what follows from them. Then the slots get chunks of the
  // next images, and the next image of the team takes the place of this one.
  template <typename Use> __device__ __forceinline__ void each_and_fetch(const Use& use) {
    const i64 first = (i64(image) * pixels_ + first_row_) * CHANNELS + channel;
    for (int c = 0; c < chunks_; ++c, step(first_)) {
      const i64 here = first + i64(c * kChunkRows + turn_) * CHANNELS;
      each_of(c, first_, [&](int b, const V(&v)[N]) { use(here + b * TURNS * CHANNELS, v); });
      if (next_image_ >= images_) continue;
      __syncthreads();
      fetch(first_.slot);
    }
    image += teams_;
  }

 private:
  struct Place { // of a chunk
    int slot = 0;
    u32 phase = 0;
  };
  __device__ __forceinline__ void step(Place& at) const {
    if (++at.slot < slots_) return;
    at.slot = 0;
    at.phase ^= 1;
  }
  template <typename Use> __device__ __forceinline__ void each_of(int chunk, const Place& at, const Use& use) const {
    const int here = min(rows - chunk * kChunkRows, kChunkRows);
    const V* const own = reinterpret_cast<const V*>(memory_ + at.slot * N * kSlotBytes) + threadIdx.x;
    barrier_wait(&full_[at.slot], at.phase);
    V v[2][N];
#pragma unroll
    for (int b = 0; b < 2; ++b)
      if (turn_ + b * TURNS < here)
#pragma unroll
        for (int n = 0; n < N; ++n) v[b][n] = own[(n * 2 + b) * TURNS * kAcross];
#pragma unroll
    for (int b = 0; b < 2; ++b)
      if (turn_ + b * TURNS < here) use(b, v[b]);
  }
  // Fills a slot with the next chunk. After a barrier behind the last read of the slot.
  __device__ __forceinline__ void fetch(int slot) {
    if (next_image_ >= images_) return;
    const int begin = next_chunk_ * kChunkRows;
    if (threadIdx.x == 0) {
      const u32 bytes = min(rows - begin, kChunkRows) * CHANNELS * static_cast<u32>(sizeof(T));
      barrier_arrive_expect(&full_[slot], N * bytes);
#pragma unroll
      for (int n = 0; n < N; ++n)
        bulk_load(memory_ + (slot * N + n) * kSlotBytes,
                  from_[n] + (i64(next_image_) * pixels_ + first_row_ + begin) * CHANNELS, bytes, &full_[slot]);
    }
    if (++next_chunk_ < chunks_) return;
    next_chunk_ = 0;
    next_image_ += teams_;
  }

  const T* from_[N];
  int images_, next_image_, pixels_, teams_, slots_, chunks_, least_rows_, longer_, first_row_, turn_, next_chunk_ = 0;
  Place first_; // of the image
  u8* memory_;
  u64* full_;
};

} // namespace wt

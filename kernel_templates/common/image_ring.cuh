// Images in the shared memory of teams of blocks, where channels are innermost: a team holds an image, so that the
// device's memory is read once, and bulk copies fill what it has used with its next images. The part of a block is one
// range of memory: some rows of pixels of all channels. All blocks run at the same time. sm_90.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

namespace wt {

constexpr int kMostSlots = 64; // of a ring

// Teams of `size` blocks: team t has the images t, t + teams, ... A part has chunks, each of the same rows of N
// tensors; there are slots for all of them, or more. CHANNELS / VEC neighbouring threads cover the channels, and TURNS
// of these take turns at the rows, with BATCH rows each of a chunk.
template <typename T, int N, int CHANNELS, int VEC, int TURNS, int BATCH> struct ImageRing {
  using V = Vec<T, VEC>;
  static constexpr int kAcross = CHANNELS / VEC, kChunkRows = TURNS * BATCH;
  static constexpr i64 kSlotBytes = i64(kChunkRows) * CHANNELS * sizeof(T); // of a tensor
  static_assert(CHANNELS % VEC == 0 && BATCH % 2 == 0 && CHANNELS * sizeof(T) % 16 == 0,
                "bulk copies move 16-byte pieces");
  int rank, size, channel, rows; // of the block; the thread's first channel; rows of the block

  // An image of the team, and where its first chunk is.
  struct Image {
    int index, slot;
    u32 phase;
  };

  // memory: slots * N * kSlotBytes. full: kMostSlots barriers. Every thread calls it.
  __device__ __forceinline__ ImageRing(const T* const (&tensors)[N], int teams, int size_, int images, int pixels,
                                       int slots, u8* memory, u64* full)
      : rank(static_cast<int>(blockIdx.x) % size_), size(size_), images_(images),
        next_image_(static_cast<int>(blockIdx.x) / size_), pixels_(pixels), teams_(teams), slots_(slots),
        memory_(memory), full_(full) {
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
  // measure(image), then finish(image), for each image of the team. AHEAD: as many more images are measured before an
  // image is finished; then the ring needs slots for one part more.
  template <int AHEAD, typename Measure, typename Finish>
  __device__ __forceinline__ void each_image(const Measure& measure, const Finish& finish) const {
    static_assert(AHEAD == 0 || AHEAD == 1);
    Image measured{static_cast<int>(blockIdx.x) / size, 0, 0}, finished = measured;
    for (bool is_first = true; finished.index < images_; is_first = false) {
      if (AHEAD > 0) __syncthreads(); // between two measured images, and two finished ones
      if (measured.index < images_) {
        measure(measured);
        advance(measured);
      }
      if (AHEAD > 0 && is_first) continue;
      finish(finished);
      advance(finished);
    }
  }

  // use(v) for the thread's vectors of the first chunk, or of all chunks, as they come: v[n] is of tensor n.
  template <typename Use>
  __device__ __forceinline__ void each_of_first_chunk(const Image& image, const Use& use) const {
    each_of(0, image, [&](int, const V(&v)[N]) { use(v); });
  }
  template <typename Use> __device__ __forceinline__ void each_as_it_comes(Image image, const Use& use) const {
    for (int c = 0; c < chunks_; ++c, step(image, 1)) each_of(c, image, [&](int, const V(&v)[N]) { use(v); });
  }
  // use(i, v) for the vectors at elements i, again; it stores what follows from them. Then the slots get chunks of the
  // next images.
  template <typename Use> __device__ __forceinline__ void each_and_fetch(Image image, const Use& use) {
    const i64 first = (i64(image.index) * pixels_ + first_row_) * CHANNELS + channel;
    for (int c = 0; c < chunks_; ++c, step(image, 1)) {
      const i64 here = first + i64(c * kChunkRows + turn_) * CHANNELS;
      each_of(c, image, [&](int b, const V(&v)[N]) { use(here + b * TURNS * CHANNELS, v); });
      if (next_image_ >= images_) continue;
      __syncthreads();
      fetch(image.slot);
    }
  }

 private:
  __device__ __forceinline__ void advance(Image& image) const {
    image.index += teams_;
    step(image, chunks_);
  }
  __device__ __forceinline__ void step(Image& image, int chunks) const { // at most all slots
    image.slot += chunks;
    if (image.slot < slots_) return;
    image.slot -= slots_;
    image.phase ^= 1;
  }
  template <typename Use> __device__ __forceinline__ void each_of(int chunk, const Image& at, const Use& use) const {
    const int here = min(rows - chunk * kChunkRows, kChunkRows);
    const V* const own = reinterpret_cast<const V*>(memory_ + at.slot * N * kSlotBytes) + threadIdx.x;
    barrier_wait(&full_[at.slot], at.phase);
#pragma unroll
    for (int first = 0; first < BATCH; first += 2) { // more in flight spill
      V v[2][N];
#pragma unroll
      for (int b = 0; b < 2; ++b)
        if (turn_ + (first + b) * TURNS < here)
#pragma unroll
          for (int n = 0; n < N; ++n) v[b][n] = own[(n * BATCH + first + b) * TURNS * kAcross];
#pragma unroll
      for (int b = 0; b < 2; ++b)
        if (turn_ + (first + b) * TURNS < here) use(first + b, v[b]);
    }
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
  u8* memory_;
  u64* full_;
};

} // namespace wt

// Channels of images in the shared memory of teams of blocks, where a channel is one plane of each image: a team holds
// all planes of a channel, so that the device's memory is read once, and copies its next channel to the places of
// vectors that it has used. All blocks run at the same time. All orders are fixed, so that the same launch gives the
// same bits each time.
#pragma once

#include "common/async.cuh"
#include "common/channels.cuh"
#include "common/cp_async.cuh"
#include "common/team_pairs.cuh"

namespace wt {

// `teams` of `size` blocks; the planes are whole vectors. Blocks share the vectors of a channel, those of N tensors in
// each place. A thread reads only what it has copied itself.
template <typename T, int N, int THREADS, int VEC> struct ChannelTeam {
  using V = Vec<T, VEC>;
  static_assert(sizeof(V) == 16, "cp.async copies 16 bytes");
  static constexpr int kChunks = 4;
  int channel, teams, rank, size;
  int channels, pixels;

  // memory: N * ceil_div(vectors of a channel, size) vectors.
  __device__ __forceinline__ ChannelTeam(int teams_, int size_, i64 images, int channels_, int pixels_, u8* memory)
      : channel(static_cast<int>(blockIdx.x) / size_), teams(teams_), rank(static_cast<int>(blockIdx.x) % size_),
        size(size_), channels(channels_), pixels(pixels_), in_plane_(pixels_ / VEC) {
    all_ = static_cast<int>(images) * in_plane_;
    const int begin = static_cast<int>(share_begin(all_, rank, size) + threadIdx.x);
    const i64 image = i64(channels) * pixels;
    count_ = max(0, vectors_of(rank) - static_cast<int>(threadIdx.x) + THREADS - 1) / THREADS;
    chunk_ = ceil_div(count_, kChunks);
    room_ = ceil_div(all_, size);
    first_ = {begin / in_plane_ * image + begin % in_plane_ * VEC, begin % in_plane_};
    step_ = {THREADS / in_plane_ * image + THREADS % in_plane_ * VEC, THREADS % in_plane_};
    to_next_image_ = image - pixels;
    own_ = reinterpret_cast<V*>(memory) + threadIdx.x;
  }
  // Of a block, for each tensor.
  __device__ __forceinline__ int vectors_of(int block) const { return all_ / size + (block < all_ % size ? 1 : 0); }
  __device__ __forceinline__ bool more() const { return channel < channels; }
  __device__ __forceinline__ void advance() { channel += teams; }

  // Begins to copy the first channel of each tensor, in chunks.
  __device__ __forceinline__ void copy(const T* const (&tensors)[N]) const {
    Walk at = first_;
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll 4
      for (int i = c * chunk_; i < min(count_, (c + 1) * chunk_); ++i, step(at)) copy_one(tensors, i, at, channel);
      cp_async_commit();
    }
  }
  // use(v) for the vectors, as they come: v[n] is of tensor n.
  template <typename Use> __device__ __forceinline__ void each_as_it_comes(const Use& use) const {
    each_of_chunk<0>(use);
    each_of_chunk<1>(use);
    each_of_chunk<2>(use);
    each_of_chunk<3>(use);
  }
  // use(i, v) for the vectors at elements i, again; it stores what follows from them. Then their places get those of
  // the next channel.
  template <typename Use>
  __device__ __forceinline__ void each_and_copy_next(const T* const (&tensors)[N], const Use& use) const {
    Walk at = first_;
    for (int c = 0; c < kChunks; ++c) {
      for (int i = c * chunk_; i < min(count_, (c + 1) * chunk_); ++i, step(at)) {
        V v[N];
        held(i, v);
        use(at.element + i64(channel) * pixels, v);
        if (channel + teams < channels) copy_one(tensors, i, at, channel + teams);
      }
      cp_async_commit();
    }
  }
  // The whole of a channel from the part of each block, which all threads of the block have; pairs: 0 before the
  // launch, `size` for each channel. part_of(pair, block) makes a Part of a pair. Every thread calls it.
  template <typename Part, typename PartOf>
  __device__ __forceinline__ Part merge(u64* pairs, float2 own, const PartOf& part_of) const {
    if (size == 1) {
      __syncthreads(); // as below: the threads that have `own` are done with what it is from
      return part_of(own, 0);
    }
    __shared__ __align__(16) u8 memory[sizeof(Part)];
    Part* const whole = reinterpret_cast<Part*>(memory);
    if (threadIdx.x < 32) {
      u64* const all = pairs + i64(channel) * size;
      if (threadIdx.x == 0) give_pair(all + rank, own);
      Part part;
      for (int block = threadIdx.x; block < size; block += 32) part.merge(part_of(take_pair(all + block), block));
      part = merge_lanes<32>(part);
      if (threadIdx.x == 0) *whole = part;
    }
    __syncthreads();
    return *whole;
  }

 private:
  // The place of a vector in channel 0, in elements of the tensor, and in its plane, in vectors.
  struct Walk {
    i64 element;
    int in_plane;
  };
  __device__ __forceinline__ void step(Walk& at) const {
    at.element += step_.element;
    at.in_plane += step_.in_plane;
    if (at.in_plane < in_plane_) return;
    at.in_plane -= in_plane_;
    at.element += to_next_image_;
  }
  __device__ __forceinline__ void copy_one(const T* const (&tensors)[N], int i, const Walk& at, int of) const {
#pragma unroll
    for (int n = 0; n < N; ++n)
      async_copy<sizeof(V)>(shared_address(&own_[n * room_ + i * THREADS]), tensors[n] + at.element + i64(of) * pixels);
  }
  __device__ __forceinline__ void held(int i, V (&v)[N]) const {
#pragma unroll
    for (int n = 0; n < N; ++n) v[n] = own_[n * room_ + i * THREADS];
  }
  template <int CHUNK, typename Use> __device__ __forceinline__ void each_of_chunk(const Use& use) const {
    cp_async_wait<kChunks - 1 - CHUNK>();
#pragma unroll 2
    for (int i = CHUNK * chunk_; i < min(count_, (CHUNK + 1) * chunk_); ++i) {
      V v[N];
      held(i, v);
      use(v);
    }
  }

  int all_, in_plane_, count_, chunk_, room_; // vectors: of a channel; of a plane; of this thread; of a chunk; of a
                                              // tensor in the memory
  Walk first_, step_;
  i64 to_next_image_;
  V* own_;
};

} // namespace wt

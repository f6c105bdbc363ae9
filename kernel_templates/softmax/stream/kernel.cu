// Row softmax, y = exp(x - max) / sum, or its logarithm, with the row in a ring of chunks: a warp of its own keeps the
// ring full, and the next row arrives chunk by chunk while this one leaves, so that rows of most of the shared memory
// still overlap.
#include "state.cuh"

// A block's part of a row in whole vectors: all of it, or an equal share for each block of the cluster.
struct Slice {
  int begin, count;
  __device__ __forceinline__ Slice(int vectors, int parts, int part) {
    const int share = wt::ceil_div(vectors, parts);
    begin = part * share;
    count = vectors - begin < share ? (vectors - begin > 0 ? vectors - begin : 0) : share;
  }
};

// TPR threads compute, one thread of a further warp fills the ring of SLOTS chunks, CHUNK vectors a
// thread. The ring must hold a slice; what it holds beyond that is the head start of the next row.
template <typename T, int TPR, int VEC, int CHUNK, int CLUSTER, int SLOTS, bool LOG>
__device__ __forceinline__ void stream_rows(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols, u32 rank,
                                            u8* ring) {
  using V = wt::Vec<T, VEC>;
  constexpr int kChunk = TPR * CHUNK; // vectors
  __shared__ u64 full[SLOTS], empty[SLOTS], arrived[2];
  __shared__ Exchange<TPR, 1, CLUSTER> exchange[2]; // in turn: a fast warp writes while a slow one still reads
  const Slice slice(cols / VEC, CLUSTER, rank);
  const i64 first_row = blockIdx.x / CLUSTER, step = gridDim.x / CLUSTER;
  if (threadIdx.x == TPR) {
    for (int s = 0; s < SLOTS; ++s) {
      wt::barrier_init(&full[s], 1);
      wt::barrier_init(&empty[s], TPR / 32);
    }
    wt::barrier_init(&arrived[0], 1);
    wt::barrier_init(&arrived[1], 1);
    wt::barrier_init_fence();
  }
  if constexpr (CLUSTER > 1) { // peers write to this block's exchange: they must find it initialised
    __syncwarp();
    wt::cluster_arrive();
    wt::cluster_wait();
  } else {
    __syncthreads();
  }

  int slot = 0;
  u32 phase = 0;
  const auto advance = [](int& which, u32& parity) {
    if (++which == SLOTS) {
      which = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x >= TPR) {
    if (threadIdx.x == TPR) {
      for (i64 row = first_row; row < rows; row += step) {
        const T* from = x + row * cols + i64(slice.begin) * VEC;
        for (int at = 0; at < slice.count; at += kChunk) {
          const u32 bytes = (slice.count - at < kChunk ? slice.count - at : kChunk) * sizeof(V);
          wt::barrier_wait(&empty[slot], phase ^ 1);
          wt::barrier_arrive_expect(&full[slot], bytes);
          wt::bulk_load(ring + slot * (kChunk * sizeof(V)), from + i64(at) * VEC, bytes, &full[slot]);
          advance(slot, phase);
        }
      }
    }
    __syncwarp();
  } else {
    // Chunk by chunk this row leaves and the next one's maximum and sum are taken, so that the memory reads and writes
    // at an even pace.
    const V* data = reinterpret_cast<const V*>(ring);
    const int chunks = wt::ceil_div(slice.count, kChunk);
    int ahead = 0, turn = 0;
    u32 turn_phase = 0;
    wt::ExpSum part;
    const auto take = [&](int chunk) {
      const int at = chunk * kChunk + threadIdx.x;
      wt::barrier_wait(&full[ahead], phase);
      V held[CHUNK];
      float max = part.max;
#pragma unroll
      for (int i = 0; i < CHUNK; ++i) {
        if (at + i * TPR < slice.count) {
          held[i] = data[ahead * kChunk + i * TPR + threadIdx.x];
          max = fmaxf(max, vector_max<T, VEC>(held[i]));
        }
      }
      part.sum = part.sum_at(max);
      part.max = max;
      const float offset = wt::exp_offset(max);
#pragma unroll
      for (int i = 0; i < CHUNK; ++i)
        if (at + i * TPR < slice.count) part.sum += exponential_sum<T, VEC>(held[i], offset);
      advance(ahead, phase);
    };
    if (first_row < rows)
      for (int chunk = 0; chunk < chunks; ++chunk) take(chunk);
    for (i64 row = first_row; row < rows; row += step) {
      const bool more = row + step < rows;
      const wt::ExpSum all = exchange[turn].merge(part, rank, &arrived[turn], turn_phase);
      part = wt::ExpSum{};
      turn_phase ^= turn; // both barriers have seen a phase after each second row
      turn ^= 1;
      T* to = y + row * cols + i64(slice.begin) * VEC;
      for (int chunk = 0; chunk < chunks; ++chunk) {
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) {
          const int vector = chunk * kChunk + i * TPR + threadIdx.x;
          if (vector < slice.count) // no hint: the L2 may hold on to what is written
            wt::store<wt::kDefault>(to + i64(vector) * VEC,
                                    normalise<T, VEC, LOG>(data[slot * kChunk + i * TPR + threadIdx.x], all));
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) wt::barrier_arrive(&empty[slot]);
        if (++slot == SLOTS) slot = 0;
        if (more) take(chunk);
      }
    }
  }
  if constexpr (CLUSTER > 1) { // no block leaves while a peer may still write to it
    __syncwarp();
    wt::cluster_arrive();
    wt::cluster_wait();
  }
}

template <typename T, int TPR, int VEC, int CHUNK, int CLUSTER, int SLOTS, int BLOCKS_PER_SM, bool LOG>
__global__ void __launch_bounds__(TPR + 32, BLOCKS_PER_SM)
    softmax(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols) {
  static_assert(wt::is_pow2(TPR) && TPR >= 128 && TPR <= 512, "threads of a row: a power of two from 128 to 512");
  static_assert(VEC * sizeof(T) == 16, "a bulk copy moves whole 16-byte pieces");
  static_assert(CLUSTER <= 8, "portable clusters have at most 8 blocks");
  const u32 rank = CLUSTER > 1 ? wt::cluster_rank() : 0;
  extern __shared__ __align__(128) u8 ring[];
  stream_rows<T, TPR, VEC, CHUNK, CLUSTER, SLOTS, LOG>(x, y, rows, cols, rank, ring);
}

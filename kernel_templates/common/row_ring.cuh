// A ring of slots in shared memory that bulk copies keep full ahead of a persistent block. A slot holds the same RPB
// rows of MATRICES matrices. Rows are a multiple of 16 bytes. sm_90.
#pragma once

#include "common/async.cuh"

namespace wt {

// Block b takes the groups b, b + blocks, ... of RPB rows. Each thread takes its elements of a slot into registers, and
// after a barrier of the block one thread has the slot filled again.
template <typename T, int MATRICES, int RPB, int STAGES> struct RowRing {
  const T* from[MATRICES];
  i64 rows, groups, group;
  u8* data;
  u64* full; // STAGES barriers
  u32 row_bytes, phase;
  int stage;

  __device__ __forceinline__ RowRing(const T* const (&matrices)[MATRICES], i64 rows_, int cols, u8* data_, u64* full_)
      : rows(rows_), groups(ceil_div<i64>(rows_, RPB)), group(blockIdx.x), data(data_), full(full_),
        row_bytes(cols * sizeof(T)), phase(0), stage(0) {
#pragma unroll
    for (int m = 0; m < MATRICES; ++m) from[m] = matrices[m];
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; ++s) barrier_init(&full[s], 1);
      barrier_init_fence();
      for (int s = 0; s < STAGES; ++s) fetch(group + s * i64(gridDim.x), s);
    }
    __syncthreads();
  }
  __device__ __forceinline__ bool more() const { return group < groups; }
  __device__ __forceinline__ void wait() const { barrier_wait(&full[stage], phase); }
  // A row of the slot, in bytes from its first element.
  __device__ __forceinline__ const u8* row(int matrix, int row_in_block) const {
    return data + ((stage * MATRICES + matrix) * RPB + row_in_block) * i64(row_bytes);
  }
  // After a barrier behind the last read of the slot.
  __device__ __forceinline__ void release() {
    if (threadIdx.x == 0) fetch(group + STAGES * i64(gridDim.x), stage);
  }
  __device__ __forceinline__ void advance() {
    group += gridDim.x;
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }

 private:
  __device__ __forceinline__ void fetch(i64 which, int slot) const {
    if (which >= groups) return;
    const i64 first = which * RPB, here = rows - first < RPB ? rows - first : RPB;
    const u32 bytes = static_cast<u32>(here) * row_bytes;
    barrier_arrive_expect(&full[slot], MATRICES * bytes);
#pragma unroll
    for (int m = 0; m < MATRICES; ++m)
      bulk_load(data + (slot * MATRICES + m) * RPB * i64(row_bytes),
                reinterpret_cast<const u8*>(from[m]) + first * row_bytes, bytes, &full[slot]);
  }
};

} // namespace wt

// A ring of slots in shared memory that asynchronous copies keep full ahead of a block: rows of a strip of columns.
#pragma once

#include "common/async.cuh"
#include "common/cp_async.cuh"
#include "common/vec.cuh"

enum Copies : int {
  kByThreads, // cp.async: a thread copies what it reads itself, so that the block needs no barrier
  kByRows,    // a bulk copy for each row of a slot; sm_90
  kBySlots    // a bulk copy for each slot: the strip has all columns of the matrix; sm_90
};

// X threads cover the strip, with a vector each, and Y of them take turns at its rows. A slot has BATCH rows a turn.
template <typename T, int X, int Y, int BATCH, int STAGES, int COPIES> struct StripRing {
  using V = wt::Vec<T, 16 / sizeof(T)>;
  static constexpr int kThreads = X * Y, kRows = BATCH * Y;
  const T* from; // of the next slot to fill: the begin of its first row, or the thread's vector of it
  i64 inner;     // elements from row to row
  int left;      // rows from there on
  int row_bytes; // of the strip
  V* slots;
  u64* full; // STAGES barriers of bulk copies
  u32 phase = 0;
  int stage = 0;

  // `width`: the strip's columns. A thread beyond them copies nothing.
  __device__ __forceinline__ StripRing(const T* strip, i64 inner_, int width, int length, u8* memory, u64* full_)
      : from(strip), inner(inner_), left(length), row_bytes(width * sizeof(T)), slots(reinterpret_cast<V*>(memory)),
        full(full_) {
    if constexpr (COPIES == kByThreads) {
      const int byte = threadIdx.x % X * 16;
      from += i64(threadIdx.x / X) * inner + byte / int(sizeof(T));
      left = byte < row_bytes ? length - int(threadIdx.x / X) : 0;
    } else {
      if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) wt::barrier_init(&full[s], 1);
        wt::barrier_init_fence();
      }
      __syncthreads();
    }
    for (int s = 0; s < STAGES; ++s) fetch(s);
  }
  __device__ __forceinline__ void wait() const {
    if constexpr (COPIES == kByThreads)
      wt::cp_async_wait<STAGES - 1>();
    else
      wt::barrier_wait(&full[stage], phase);
  }
  // The thread's vector of the slot's row of its turn i.
  __device__ __forceinline__ const V& own(int i) const { return slots[(stage * BATCH + i) * kThreads + threadIdx.x]; }
  // Fills the slot again, after its last use, and goes to the next one.
  __device__ __forceinline__ void refill() {
    if constexpr (COPIES != kByThreads) __syncthreads();
    fetch(stage);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }

 private:
  __device__ __forceinline__ void fetch(int slot) {
    V* const to = slots + slot * BATCH * kThreads;
    if constexpr (COPIES == kByThreads) {
#pragma unroll
      for (int i = 0; i < BATCH; ++i)
        if (i * Y < left) wt::async_copy<16>(wt::shared_address(to + i * kThreads + threadIdx.x), from + i * Y * inner);
      wt::cp_async_commit();
    } else if (const int rows = left < kRows ? left : kRows; rows > 0) {
      if (threadIdx.x == 0) wt::barrier_arrive_expect(&full[slot], rows * row_bytes);
      if constexpr (COPIES == kBySlots) {
        if (threadIdx.x == 0) wt::bulk_load(to, from, rows * row_bytes, &full[slot]);
      } else if (threadIdx.x % 32 == 0) {
        for (int row = threadIdx.x / 32; row < rows; row += kThreads / 32)
          wt::bulk_load(to + row * X, from + row * inner, row_bytes, &full[slot]);
      }
    }
    from += kRows * inner;
    left -= kRows;
  }
};

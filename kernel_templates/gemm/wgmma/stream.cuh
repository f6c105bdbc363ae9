// A slab of the operand that DRAM sends, by cp.async: where a product reads a matrix once, some matrices arrive faster than by tensor maps
// (docs/notes/gemm.md).
#pragma once

#include "common/async.cuh"

// 16 bytes, of which those from `bytes` on are zeros; DRAM sends the whole 128 bytes around them to the L2.
__device__ __forceinline__ void copy_with_line(u32 shared, const void* global, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
}

// `barrier` counts this thread as arrived once its earlier copies have.
__device__ __forceinline__ void barrier_arrive_with_copies(u64* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(wt::shared_address(barrier)) : "memory");
}

// An operand whose rows are contiguous along k, of one product.
template <typename T> struct Streamed {
  const T* matrix;
  int pitch, rows, k;

  // 64 of k of ROWS rows at (row, at), with the swizzle of 128 bytes that wgmma_descriptor describes, by 128 threads. Rows past the end
  // repeat the last. TWO_HALVES: as in load_slab.
  template <int ROWS, bool TWO_HALVES> __device__ __forceinline__ void copy(unsigned char* to, int row, int second, int at) const {
    static_assert(ROWS % 16 == 0);
    const int piece = threadIdx.x % 8, first = threadIdx.x / 8; // 8 pieces of 16 bytes in a row
    const T* const from = matrix + at + piece * 8;
    const int bytes = min(max(2 * (k - at - piece * 8), 0), 16);
    const u32 place = wt::shared_address(to) + first * 128 + (piece ^ first % 8) * 16;
#pragma unroll
    for (int r = 0; r < ROWS; r += 16) {
      const int wanted = TWO_HALVES && r + first >= ROWS / 2 ? second - ROWS / 2 : row;
      copy_with_line(place + r * 128, from + i64(min(wanted + r + first, rows - 1)) * pitch, bytes);
    }
  }
};

// How a consumer's sums reach C. A thread of a warpgroup holds of each 64 x N block of sums, for each 8 columns, two
// neighbouring columns of two rows 8 apart (PTX ISA, "Register Fragments for wgmma", matrix D).
#pragma once

#include "common/tma.cuh"

// Sums -> registers of pairs -> shared memory -> C, one panel after another. Panels leave while the next ones are written;
// PANELS of them are under way. Panels are 64 rows by WIDTH columns; swapped, BN rows of C by 64 columns.
template <typename T, int BN, int BLOCKS, int PANELS, bool SWAP> struct PanelStore {
  static constexpr int kWidth = SWAP || BN % 64 == 0 ? 64 : BN % 32 == 0 ? 32 : 16; // columns: one row of the swizzle
  static constexpr int kBytes = (SWAP ? BN : 64) * kWidth * 2;
  static constexpr int kPerBlock = SWAP ? 1 : BN / kWidth;

  // (row, column) of the product, as the sums see it. `barrier`: this warpgroup's own.
  static __device__ __forceinline__ void store(const float (&sums)[BLOCKS][BN / 2], unsigned char* panels, const TensorMap& map,
                                               int row, int column, int batch, int barrier) {
    const int thread = threadIdx.x % 128, lane = thread % 32, warp = thread / 32;
#pragma unroll
    for (int panel = 0; panel < BLOCKS * kPerBlock; ++panel) {
      const int block = panel / kPerBlock, first = panel % kPerBlock * kWidth;
      unsigned char* const out = panels + panel % PANELS * kBytes;
      if (thread == 0) wt::bulk_wait_read<PANELS - 1>();
      asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
      const u32 base = wt::shared_address(out);
#pragma unroll
      for (int j = 0; j < (SWAP ? BN : kWidth) / 16; ++j) {
        const int right = lane / 16; // this lane's address is in the left or the right 8 columns of these 16
        const int line = SWAP ? j * 16 + right * 8 + lane % 8 : warp * 16 + lane % 16;
        const int chunk = SWAP ? warp * 2 + lane / 8 % 2 : j * 2 + right; // of 16 bytes
        const int swizzled = chunk ^ ((line * kWidth * 2 >> 7) & (kWidth / 8 - 1));
        const float* v = sums[block] + (first / 8 + j * 2) * 4;
        wt::store_matrices<SWAP>(base + line * kWidth * 2 + swizzled * 16, wt::pack2<T>(v[0], v[1]), wt::pack2<T>(v[2], v[3]),
                                 wt::pack2<T>(v[4], v[5]), wt::pack2<T>(v[6], v[7]));
      }
      wt::async_proxy_fence();
      asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
      if (thread == 0) {
        if constexpr (SWAP)
          wt::tma_store(&map, out, row + block * 64, column, batch);
        else
          wt::tma_store(&map, out, column + first, row + block * 64, batch);
        wt::bulk_commit();
      }
    }
  }
};

// Straight to C, for any n: COUNT pairs of this thread's sums, of which `sums` holds the ones from pair `first` on. `c` is this
// product's of the batch.
template <typename T, int BN, int COUNT, bool SWAP>
__device__ __forceinline__ void store_share(const float* sums, int first, T* c, int row, int column, int m, int n) {
  const int thread = threadIdx.x % 128, lane = thread % 32, warp = thread / 32;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int pair = first + i, block = pair / (BN / 4), j = pair % (BN / 4) / 2, half = pair % 2;
    const int r = row + block * 64 + warp * 16 + half * 8 + lane / 4, s = column + j * 8 + lane % 4 * 2;
    const float low = sums[2 * i], high = sums[2 * i + 1];
    if constexpr (SWAP) {
      if (r >= n) continue;
      if (s < m) c[i64(s) * n + r] = wt::from_float<T>(low);
      if (s + 1 < m) c[i64(s + 1) * n + r] = wt::from_float<T>(high);
    } else {
      if (r >= m) continue;
      T* const to = c + i64(r) * n + s;
      if (n % 2 == 0 && s + 1 < n) {
        *reinterpret_cast<u32*>(to) = wt::pack2<T>(low, high);
      } else {
        if (s < n) to[0] = wt::from_float<T>(low);
        if (s + 1 < n) to[1] = wt::from_float<T>(high);
      }
    }
  }
}

// The order in which blocks take the tiles of a product, and how a slab of an operand reaches shared memory.
#pragma once

#include "common/tma.cuh"

// Tiles (or clusters of them) in bands of GROUP: blocks that run at the same time work on a nearly square region, whose operands
// the L2 cache holds. ALONG_ROWS: a band is GROUP rows of tiles, walked column by column; else GROUP columns, row by row.
template <int GROUP, bool ALONG_ROWS> struct TileOrder {
  int rows, columns; // of one product of the batch

  __device__ __forceinline__ void place(int tile, int& row, int& column, int& batch) const {
    // The first copies wait for these divisions, each longer than the branches that avoid it.
    const auto divide = [](int a, int b) { return a < b ? 0 : b == 1 ? a : a / b; };
    const int of_batch = rows * columns;
    batch = divide(tile, of_batch);
    tile -= batch * of_batch;
    const int across = ALONG_ROWS ? rows : columns, along = ALONG_ROWS ? columns : rows;
    const int band = divide(tile, GROUP * along), first = band * GROUP, width = min(GROUP, across - first);
    const int within = tile - band * GROUP * along;
    const int walked = divide(within, width), crossed = first + within - walked * width;
    row = ALONG_ROWS ? crossed : walked;
    column = ALONG_ROWS ? walked : crossed;
  }
};

// 64 of k of ROWS rows of the product at (row, k): the layout that wgmma_descriptor describes. Of PARTS blocks that need the
// same, each loads one part for all in `mask`. TWO_HALVES: the second half of the rows begins at `second`.
template <int ROWS, bool MN_MAJOR, int PARTS, bool TWO_HALVES>
__device__ __forceinline__ void load_slab(unsigned char* to, const TensorMap& map, int row, int second, int k, int batch, u64* full,
                                          int part, u16 mask) {
  constexpr int kHalves = TWO_HALVES ? 2 : 1;
  const auto load = [&](int offset, int x, int y) {
    if constexpr (PARTS > 1)
      wt::tma_load_multicast(to + offset, &map, x, y, batch, full, mask);
    else
      wt::tma_load(to + offset, &map, x, y, batch, full);
  };
  if constexpr (MN_MAJOR) {
    constexpr int kDepth = 64 / PARTS, kBlocks = (ROWS + 63) / 64;
    static_assert(kBlocks % kHalves == 0);
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      const int x = block < kBlocks / kHalves ? row + block * 64 : second + (block - kBlocks / kHalves) * 64;
      load(block * 8192 + part * kDepth * 128, x, k + part * kDepth);
    }
  } else {
    constexpr int kHalf = ROWS / kHalves, kPart = kHalf / PARTS;
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
      load((half * kHalf + part * kPart) * 128, k, (half == 0 ? row : second) + part * kPart);
  }
}

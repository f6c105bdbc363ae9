// Copies between a dense tensor of rows and one whose rows are apart, in tiles of BLOCK * UNROLL accesses. The dense
// side gives the order, so its accesses are contiguous.
#pragma once

#include "common/broadcast.cuh"

namespace wt {

// All in accesses. `pitch`: from the beginning of a strided row to that of the next. Row r of the dense tensor is row r
// / group of the strided one, at r % group * step after `offset`; with `group` 1 rows are only a pitch apart.
struct RowsApart {
  i64 cols, pitch, offset, group, step;
};

// DENSE: the dense side is y. GROUPED: `group` is not 1. WIDE: the tensor has 2^32 accesses or more.
template <bool DENSE, bool GROUPED, bool WIDE, int UNROLL, int BLOCK, int STORES, typename V>
__device__ __forceinline__ void copy_tile(const V* x, V* y, i64 count, const RowsApart& apart, i64 tile) {
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is a number of warps, at most 1024 threads");
  using Index = typename IndexOf<WIDE>::type;
  const i64 first = tile * (BLOCK * UNROLL) + threadIdx.x;
  // One division for the first access; a fixed distance leads to the others.
  const Index cols = static_cast<Index>(apart.cols), rows_on = BLOCK / cols, cols_on = BLOCK - rows_on * cols;
  Index row = static_cast<Index>(first) / cols, col = static_cast<Index>(first) - row * cols;
  V held[UNROLL];
  i64 strided[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 dense = first + u * BLOCK;
    i64 begin = i64(row) * apart.pitch;
    if constexpr (GROUPED) {
      const Index group = static_cast<Index>(apart.group), of = row / group;
      begin = i64(of) * apart.pitch + i64(row - of * group) * apart.step;
    }
    strided[u] = apart.offset + begin + i64(col);
    if (dense < count) held[u] = load<kDefault, V>(x + (DENSE ? strided[u] : dense));
    row += rows_on;
    col += cols_on;
    if (col >= cols) {
      col -= cols;
      ++row;
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 dense = first + u * BLOCK;
    if (dense < count) store<STORES>(y + (DENSE ? dense : strided[u]), held[u]);
  }
}

} // namespace wt

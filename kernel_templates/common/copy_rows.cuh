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

// What is stored of a loaded vector.
struct Whole {
  template <typename V> __device__ __forceinline__ V operator()(const V& loaded) const { return loaded; }
};

// The rows and columns of access (or element) `first` of a dense tensor and of every BLOCK-th one after it: one division
// for the first, and a fixed distance leads to the others.
template <bool WIDE, int BLOCK> struct Walk {
  using Index = typename IndexOf<WIDE>::type;
  Index cols, rows_on, cols_on, row, col;

  __device__ __forceinline__ Walk(i64 first, i64 cols_)
      : cols(static_cast<Index>(cols_)), rows_on(BLOCK / cols), cols_on(BLOCK - rows_on * cols),
        row(static_cast<Index>(first) / cols), col(static_cast<Index>(first) - row * cols) {}
  __device__ __forceinline__ void next() {
    row += rows_on;
    col += cols_on;
    if (col >= cols) {
      col -= cols;
      ++row;
    }
  }
};

// DENSE: the dense side is y. GROUPED: `group` is not 1. WIDE: the tensor has 2^32 accesses or more. part_of(X) is a Y.
template <bool DENSE, bool GROUPED, bool WIDE, int UNROLL, int BLOCK, int STORES, typename X, typename Y,
          typename PartOf = Whole>
__device__ __forceinline__ void copy_tile(const X* x, Y* y, i64 count, const RowsApart& apart, i64 tile,
                                          const PartOf& part_of = {}) {
  const i64 first = tile * (BLOCK * UNROLL) + threadIdx.x;
  Walk<WIDE, BLOCK> at(first, apart.cols);
  X held[UNROLL];
  i64 strided[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 dense = first + u * BLOCK;
    i64 begin = i64(at.row) * apart.pitch;
    if constexpr (GROUPED) {
      using Index = typename IndexOf<WIDE>::type;
      const Index group = static_cast<Index>(apart.group), of = at.row / group;
      begin = i64(of) * apart.pitch + i64(at.row - of * group) * apart.step;
    }
    strided[u] = apart.offset + begin + i64(at.col);
    if (dense < count) held[u] = load<kDefault, X>(x + (DENSE ? strided[u] : dense));
    at.next();
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 dense = first + u * BLOCK;
    if (dense < count) store<STORES>(y + (DENSE ? dense : strided[u]), part_of(held[u]));
  }
}

} // namespace wt

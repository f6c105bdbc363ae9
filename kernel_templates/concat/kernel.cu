// Tensors joined along a dimension, in one launch: each block copies a tile of one of them, or collects a tile of the
// result.
#include "common/copy_rows.cuh"
#include "common/early.cuh"
#include "common/gather_rows.cuh"

// Index: holds all indices of y.
template <typename T, int PARTS, typename Index> struct Parts {
  const T* x[4];
  Index run[4], rows;

  __device__ __forceinline__ Parts(const T* const (&parts)[4], const i64 (&runs)[4], i64 unit, i64 outer)
      : x{parts[0], parts[1], parts[2], parts[3]},
        run{Index(runs[0] / unit), Index(runs[1] / unit), Index(runs[2] / unit), Index(runs[3] / unit)},
        rows(static_cast<Index>(outer)) {}
  // Of the row, from this column of y on.
  __device__ __forceinline__ wt::Piece<T, Index> operator()(Index row, Index column) const {
    const T* from = x[0];
    Index length = run[0];
#pragma unroll
    for (int next = 1; next < PARTS; ++next) {
      if (column < length) break;
      column -= length;
      from = x[next];
      length = run[next];
    }
    return {from + (row * length + column), length - column, row + 1 < rows ? length : 0};
  }
};

// Tile `tile` of y, in its order: short runs of the tensors are written with their neighbours. All in vectors.
template <bool WIDE, int UNROLL, int BLOCK, int STORES, typename V, int PARTS, typename Index>
__device__ __forceinline__ void collect_tile(const Parts<V, PARTS, Index>& from, V* y, i64 count, i64 row, i64 tile) {
  const i64 first = tile * (BLOCK * UNROLL) + threadIdx.x;
  wt::Walk<WIDE, BLOCK> at(first, row);
  V held[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (first + u * BLOCK < count) held[u] = wt::load<wt::kDefault, V>(from(at.row, at.col).at);
    at.next();
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (first + u * BLOCK < count) wt::store<STORES>(y + first + u * BLOCK, held[u]);
}

enum Loads : int { kDirect = 0, kShifted = 1, kOrdered = 2 }; // a tile is one of a tensor, or of y

// PARTS: tensors; those after them are null. run0, ...: elements of each in a row of y.
template <typename T, int VEC, int PARTS, int LOADS, bool WIDE, int UNROLL, int BLOCK, int STORES>
__global__ void __launch_bounds__(BLOCK)
    copy_parts(const T* __restrict__ x0, const T* __restrict__ x1, const T* __restrict__ x2, const T* __restrict__ x3,
               T* __restrict__ y, i64 outer, i64 run0, i64 run1, i64 run2, i64 run3) {
  wt::wait_for_earlier_work();
  const i64 row = run0 + run1 + run2 + run3;
  const i64 runs[] = {run0, run1, run2, run3};
  using V = wt::Vec<T, VEC>;
  using Index = typename wt::IndexOf<WIDE>::type;
  if constexpr (LOADS == kShifted) {
    const Parts<T, PARTS, Index> from({x0, x1, x2, x3}, runs, 1, outer);
    wt::gather_tile<WIDE, UNROLL, BLOCK, STORES>(y, outer * row, row, blockIdx.x, from);
  } else if constexpr (LOADS == kOrdered) {
    const auto vectors = [](const T* x) { return reinterpret_cast<const V*>(x); };
    const Parts<V, PARTS, Index> from({vectors(x0), vectors(x1), vectors(x2), vectors(x3)}, runs, VEC, outer);
    collect_tile<WIDE, UNROLL, BLOCK, STORES>(from, reinterpret_cast<V*>(y), outer * row / VEC, row / VEC, blockIdx.x);
  } else {
    const T* const parts[] = {x0, x1, x2, x3};
    const T* x = x0;
    i64 run = run0, offset = 0, tile = blockIdx.x;
#pragma unroll
    for (int next = 1; next < PARTS; ++next) { // the tiles of a tensor follow those of the one before
      const i64 tiles = wt::ceil_div<i64>(outer * run / VEC, BLOCK * UNROLL);
      if (tile < tiles) break;
      tile -= tiles;
      offset += run;
      x = parts[next];
      run = runs[next];
    }
    const wt::RowsApart apart{run / VEC, row / VEC, offset / VEC, 1, 0};
    wt::copy_tile<false, false, WIDE, UNROLL, BLOCK, STORES>(reinterpret_cast<const V*>(x), reinterpret_cast<V*>(y),
                                                             outer * run / VEC, apart, tile);
  }
}

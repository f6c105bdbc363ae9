// Windows that slide over images, for pooling and its gradient: the windows along an axis, the tile of positions that a
// thread works on, and columns of a row of an image in vectors. Images are channels-last (a vector holds neighbouring
// channels of one column) or planes of one channel (a vector holds neighbouring columns).
#pragma once

#include "common/broadcast.cuh"

namespace wt {

__host__ __device__ constexpr int floor_div(int a, int b) { return a / b - (a % b < 0); }

// Along one axis: window o holds the positions [o * STRIDE - PAD, o * STRIDE - PAD + SIZE), as far as they exist.
template <int SIZE_, int STRIDE_, int PAD_> struct Axis {
  static constexpr int SIZE = SIZE_, STRIDE = STRIDE_, PAD = PAD_;
  static_assert(SIZE > 0 && STRIDE > 0 && 2 * PAD <= SIZE, "padding is at most half a window");

  static __device__ __forceinline__ int start(int o) { return o * STRIDE - PAD; }
  // The first place of a window that is not padding.
  static __device__ __forceinline__ int first_place(int o) { return max(0, -start(o)); }
  // The places of a window. PADDED: padding counts, but not what is beyond it.
  template <bool PADDED> static __device__ __forceinline__ int count(int o, int length) {
    const int end = min(start(o) + SIZE, PADDED ? length + PAD : length);
    return end - (PADDED ? start(o) : max(start(o), 0));
  }
};

// The windows that hold any of N neighbouring positions: of tile t those from first(t) on, at most kCount.
template <typename A, int N> struct Covering {
  static constexpr bool kRegular = N % A::STRIDE == 0; // every tile lies alike in its windows
  static constexpr int kOffset = -floor_div(A::SIZE - 1 - A::PAD, A::STRIDE);
  static constexpr int kCount =
      kRegular ? floor_div(N - 1 + A::PAD, A::STRIDE) - kOffset + 1 : (N + A::SIZE - 2) / A::STRIDE + 1;

  static __device__ __forceinline__ int first(int tile) {
    return kRegular ? tile * (N / A::STRIDE) + kOffset : -floor_div(A::SIZE - 1 - A::PAD - tile * N, A::STRIDE);
  }
  // The place of the tile's position i in window first(tile) + w; it may be outside.
  static __device__ __forceinline__ int place(int tile, int i, int w) {
    return i + A::PAD - w * A::STRIDE - (kRegular ? kOffset * A::STRIDE : first(tile) * A::STRIDE - tile * N);
  }
};

// Which TH x TW positions of which image a thread works on: thread i of all. Channels are the innermost.
template <bool CHANNELS_LAST, bool DEEP, typename Index> struct TilePlace {
  Index image;
  int depth, row, column, group; // row and column: of the tile, in tiles; group: of neighbouring channels

  __device__ __forceinline__ TilePlace(Index i, int groups, int across, int down, int slices) : depth(0), group(0) {
    if constexpr (CHANNELS_LAST) {
      group = static_cast<int>(i % Index(groups));
      i /= Index(groups);
    }
    column = static_cast<int>(i % Index(across));
    i /= Index(across);
    row = static_cast<int>(i % Index(down));
    image = i / Index(down);
    if constexpr (DEEP) {
      depth = static_cast<int>(image % Index(slices));
      image /= Index(slices);
    }
  }
};

// The columns [first, first + LOADS * COLUMNS) of a row of `width` columns that are `pitch` elements apart. A vector of
// several columns begins at a multiple of their number, and so does the end of the row.
template <int HINT, int COLUMNS, typename T, int N, int LOADS>
__device__ __forceinline__ void load_columns(const T* row, bool exists, int first, int width, int pitch, T outside,
                                             Vec<T, N> (&held)[LOADS]) {
#pragma unroll
  for (int i = 0; i < LOADS; ++i) {
    const int at = first + i * COLUMNS;
#pragma unroll
    for (int k = 0; k < N; ++k) held[i].v[k] = outside;
    if (exists && static_cast<u32>(at) < static_cast<u32>(width))
      held[i] = load<HINT, Vec<T, N>>(row + i64(at) * pitch);
  }
}

} // namespace wt

// A tile of windows of an image that is in shared memory, in VEC neighbouring channels. Columns of the image are PITCH
// elements apart.
#pragma once

#include "pooled.cuh"

// H, W: the axes of windows. ROWS_EXIST, COLUMNS_EXIST: no window leaves the image, not even one that is not stored.
template <typename T, int OP, bool CEIL, int VEC, int PITCH, int HEIGHT, int WIDTH, int TH, int TW, typename H,
          typename W, bool ROWS_EXIST, bool COLUMNS_EXIST>
struct StagedTile {
  Pooled<OP, VEC> windows[TH][TW];
  int row, column; // of the first window

  // `rows` points to element 0 of this channel in the image's row `first`, the first of `count` that are in memory.
  __device__ __forceinline__ StagedTile(const T* rows, int row_, int column_, int first, int count)
      : row(row_), column(column_) {
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int c = 0; c < TW; ++c) windows[t][c].clear(H::first_place(row + t) * W::SIZE + W::first_place(column + c));
    const int h0 = H::start(row) - first, w0 = W::start(column);
    const T* const from = rows + (h0 * WIDTH + w0) * PITCH;
#pragma unroll
    for (int r = 0; r < (TH - 1) * H::STRIDE + H::SIZE; ++r) {
      if (!ROWS_EXIST && static_cast<u32>(h0 + r) >= static_cast<u32>(count)) continue;
      Pooled<OP, VEC> part[TW]; // of the windows, their elements of this row
#pragma unroll
      for (int c = 0; c < TW; ++c) part[c].clear(0);
#pragma unroll
      for (int e = 0; e < (TW - 1) * W::STRIDE + W::SIZE; ++e) {
        float values[VEC];
        const bool exists = COLUMNS_EXIST || static_cast<u32>(w0 + e) < static_cast<u32>(WIDTH);
#pragma unroll
        for (int k = 0; k < VEC; ++k) values[k] = outside<OP>();
        if (exists)
          wt::unpack<T, VEC>(*reinterpret_cast<const wt::Vec<T, VEC>*>(from + (r * WIDTH + e) * PITCH), values);
#pragma unroll
        for (int c = 0; c < TW; ++c)
          if (const int place = e - c * W::STRIDE; place >= 0 && place < W::SIZE)
#pragma unroll
            for (int k = 0; k < VEC; ++k) part[c].add(k, values[k], place);
      }
#pragma unroll
      for (int t = 0; t < TH; ++t)
        if (const int place = r - t * H::STRIDE; place >= 0 && place < H::SIZE)
#pragma unroll
          for (int c = 0; c < TW; ++c) windows[t][c].merge(part[c], place * W::SIZE);
    }
  }

  // use(t, c, window) for the windows that exist, with their results, and of maxima the places as they are stored.
  template <typename Use> __device__ __forceinline__ void finish(int out_height, int out_width, Use use) {
#pragma unroll
    for (int t = 0; t < TH; ++t) {
      if (row + t >= out_height) break;
#pragma unroll
      for (int c = 0; c < TW; ++c) {
        if (column + c >= out_width) break;
        Pooled<OP, VEC>& one = windows[t][c];
        if constexpr (is_average(OP)) {
          constexpr bool kPadded = OP == kAverage;
          const int count = H::template count<kPadded>(row + t, HEIGHT) * W::template count<kPadded>(column + c, WIDTH);
          one.scale(kPadded && !CEIL ? 1.0f / (H::SIZE * W::SIZE) : __fdividef(1.0f, static_cast<float>(count)));
        }
        if constexpr (OP == kMaxIndex) {
#pragma unroll
          for (int k = 0; k < VEC; ++k) {
            const int at = one.place[k];
            one.place[k] = (H::start(row + t) + at / W::SIZE) * WIDTH + W::start(column + c) + at % W::SIZE;
          }
        }
        use(t, c, one);
      }
    }
  }
};

// A tile of windows of an image that is in shared memory, in VEC neighbouring channels.
#pragma once

#include "pooled.cuh"

// H, W: the axes of windows. In memory, columns of the image are PITCH elements apart and rows ROW elements.
// ROWS_EXIST, COLUMNS_EXIST: all elements of all windows are there, even of those that are not stored.
template <typename T, int OP, bool CEIL, int VEC, int PITCH, int ROW, int HEIGHT, int WIDTH, int TH, int TW, typename H,
          typename W, bool ROWS_EXIST, bool COLUMNS_EXIST>
struct StagedTile {
  using Windows = Pooled<OP, T, VEC>;
  static constexpr int kColumns = (TW - 1) * W::STRIDE + W::SIZE;
  Windows windows[TH][TW];
  int row, column; // of the first window

  // `from`: the first element of the first window, whether it exists or not.
  __device__ __forceinline__ StagedTile(const T* from, int row_, int column_) : row(row_), column(column_) {
    const int h0 = H::start(row), w0 = W::start(column);
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int c = 0; c < TW; ++c) windows[t][c].clear(H::first_place(row + t) * W::SIZE + W::first_place(column + c));
#pragma unroll
    for (int r = 0; r < (TH - 1) * H::STRIDE + H::SIZE; ++r) {
      if (!ROWS_EXIST && static_cast<u32>(h0 + r) >= static_cast<u32>(HEIGHT)) continue;
      Windows part[TW]; // of the windows, their elements of this row
      wt::Vec<T, VEC> held[kColumns];
#pragma unroll
      for (int e = 0; e < kColumns; ++e) {
#pragma unroll
        for (int k = 0; k < VEC; ++k) held[e].v[k] = outside<OP, T>();
        if (COLUMNS_EXIST || static_cast<u32>(w0 + e) < static_cast<u32>(WIDTH))
          held[e] = *reinterpret_cast<const wt::Vec<T, VEC>*>(from + r * ROW + e * PITCH);
      }
#pragma unroll
      for (int e = 0; e < kColumns; ++e) {
        typename Windows::V values[Windows::kCount];
        unpack(held[e], values);
#pragma unroll
        for (int c = 0; c < TW; ++c)
          if (const int place = e - c * W::STRIDE; place == 0)
            part[c].begin(values);
          else if (place > 0 && place < W::SIZE)
            part[c].add(values, place);
      }
#pragma unroll
      for (int t = 0; t < TH; ++t)
        if (const int place = r - t * H::STRIDE; place >= 0 && place < H::SIZE)
#pragma unroll
          for (int c = 0; c < TW; ++c)
            if (ROWS_EXIST && !has_place(OP) && place == 0)
              windows[t][c] = part[c];
            else
              windows[t][c].merge(part[c], place * W::SIZE);
    }
  }

  // use(t, c, window) for the windows that exist, of OUT_H x OUT_W in an image, with their results, and of maxima the
  // places as they are stored.
  template <int OUT_H, int OUT_W, typename Use> __device__ __forceinline__ void finish(Use use) {
#pragma unroll
    for (int t = 0; t < TH; ++t) {
      if (OUT_H % TH != 0 && row + t >= OUT_H) break;
#pragma unroll
      for (int c = 0; c < TW; ++c) {
        if (OUT_W % TW != 0 && column + c >= OUT_W) break;
        Windows& one = windows[t][c];
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

// A tile of the gradient of an image, from windows that are in shared memory, in VEC neighbouring channels. Columns of
// windows are PITCH elements apart.
#pragma once

#include "common/vec.cuh"
#include "common/windows.cuh"

enum Op : int { kMaxIndex = 1, kMaxPlace, kAverage, kAverageInside }; // as in pool

constexpr bool is_maximum(int op) { return op == kMaxIndex || op == kMaxPlace; }

// H, W: the axes of windows.
template <typename T, typename I, int OP, bool CEIL, int VEC, int PITCH, int HEIGHT, int WIDTH, int OUT_W, int TH,
          int TW, typename H, typename W>
struct GradientTile {
  using Rows = wt::Covering<H, TH>;
  using Columns = wt::Covering<W, TW>;
  float sums[TH][TW][VEC];

  // `dy` and `places` point to column 0 of this channel in the row `first` of windows, the first of `count` that are in
  // memory.
  __device__ __forceinline__ GradientTile(const T* dy, const I* places, int tile_row, int tile_column, int first,
                                          int count)
      : sums{} {
    const int h0 = Rows::first(tile_row), w0 = Columns::first(tile_column);
#pragma unroll
    for (int a = 0; a < Rows::kCount; ++a) {
      if (static_cast<u32>(h0 + a - first) >= static_cast<u32>(count)) continue;
      float part[TW][VEC] = {}; // of an average: of this row of windows
#pragma unroll
      for (int b = 0; b < Columns::kCount; ++b) {
        if (static_cast<u32>(w0 + b) >= static_cast<u32>(OUT_W)) continue;
        const int window = ((h0 - first + a) * OUT_W + w0 + b) * PITCH;
        float v[VEC];
        wt::unpack<T, VEC>(*reinterpret_cast<const wt::Vec<T, VEC>*>(dy + window), v);
        int chosen[VEC];
        if constexpr (is_maximum(OP)) {
#pragma unroll
          for (int k = 0; k < VEC; ++k) chosen[k] = static_cast<int>(places[window + k]);
        } else if constexpr (OP == kAverageInside || CEIL) {
          constexpr bool kPadded = OP == kAverage;
          const int size = H::template count<kPadded>(h0 + a, HEIGHT) * W::template count<kPadded>(w0 + b, WIDTH);
#pragma unroll
          for (int k = 0; k < VEC; ++k) v[k] *= __fdividef(1.0f, static_cast<float>(size));
        } else {
#pragma unroll
          for (int k = 0; k < VEC; ++k) v[k] *= 1.0f / (H::SIZE * W::SIZE);
        }
#pragma unroll
        for (int c = 0; c < TW; ++c) {
          const int kw = Columns::place(tile_column, c, b);
          if (kw < 0 || kw >= W::SIZE) continue;
#pragma unroll
          for (int k = 0; k < VEC; ++k) part[c][k] += v[k];
#pragma unroll
          for (int r = 0; r < TH; ++r) {
            const int kh = Rows::place(tile_row, r, a);
            if (!is_maximum(OP) || kh < 0 || kh >= H::SIZE) continue;
            const int own = OP == kMaxPlace ? kh * W::SIZE + kw : (tile_row * TH + r) * WIDTH + tile_column * TW + c;
#pragma unroll
            for (int k = 0; k < VEC; ++k)
              if (chosen[k] == own) sums[r][c][k] += v[k];
          }
        }
      }
      if constexpr (!is_maximum(OP)) {
#pragma unroll
        for (int r = 0; r < TH; ++r) {
          const int kh = Rows::place(tile_row, r, a);
          if (kh < 0 || kh >= H::SIZE) continue;
#pragma unroll
          for (int c = 0; c < TW * VEC; ++c) sums[r][c / VEC][c % VEC] += part[c / VEC][c % VEC];
        }
      }
    }
  }
};

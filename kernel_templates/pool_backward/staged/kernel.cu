// The gradient of pooling of planes that a block holds in shared memory: the gradients of a plane's windows and their
// places are read once, in whole vectors, whatever the width of an image, and a thread computes tiles of the image's
// gradient from shared memory.
#include "common/span.cuh"
#include "common/windows.cuh"

enum Op : int { kMaxIndex = 1, kMaxPlace, kAverage, kAverageInside }; // as in pool

// A block has PLANES planes, a tile TH x TW elements of dx. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int PLANES, int HEIGHT, int WIDTH, int OUT_H, int OUT_W, int TH,
          int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_backward_staged(const T* __restrict__ dy, const I* __restrict__ indices, T* __restrict__ dx, i64 planes) {
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  using Rows = wt::Covering<H, TH>;
  using Columns = wt::Covering<W, TW>;
  constexpr bool kIsMax = OP == kMaxIndex || OP == kMaxPlace;
  constexpr int kPixels = HEIGHT * WIDTH, kWindows = OUT_H * OUT_W;
  constexpr int kAcross = wt::ceil_div(WIDTH, TW), kTiles = kAcross * wt::ceil_div(HEIGHT, TH);
  extern __shared__ __align__(16) u8 memory[];
  const i64 first = i64(blockIdx.x) * PLANES;
  const int held = planes - first < PLANES ? static_cast<int>(planes - first) : PLANES;
  constexpr int kOut = wt::span_bytes<T>(PLANES * kPixels), kIn = wt::span_bytes<T>(PLANES * kWindows);
  const wt::Span<T> out(first * kPixels, held * kPixels, memory);
  const wt::Span<T> in(first * kWindows, held * kWindows, memory + kOut);
  const wt::Span<I> places(first * kWindows, held * kWindows, memory + kOut + kIn);
  in.template copy<BLOCK>(dy);
  if constexpr (kIsMax) places.template copy<BLOCK>(indices);
  wt::async_copy_wait_all();
  __syncthreads();

  for (int i = threadIdx.x; i < held * kTiles; i += BLOCK) {
    const int plane = i / kTiles, tile_row = i % kTiles / kAcross, tile_column = i % kAcross;
    const int row = tile_row * TH, column = tile_column * TW;
    const int h0 = Rows::first(tile_row), w0 = Columns::first(tile_column);
    const int from = plane * kWindows + h0 * OUT_W + w0;
    float sum[TH][TW] = {};
#pragma unroll
    for (int a = 0; a < Rows::kCount; ++a) {
      if (static_cast<u32>(h0 + a) >= static_cast<u32>(OUT_H)) continue;
      float part[TW] = {}; // of an average: of this row of windows
#pragma unroll
      for (int b = 0; b < Columns::kCount; ++b) {
        if (static_cast<u32>(w0 + b) >= static_cast<u32>(OUT_W)) continue;
        const int window = from + a * OUT_W + b;
        float v = wt::to_float(in.own[window]);
        int chosen = 0;
        if constexpr (kIsMax) {
          chosen = static_cast<int>(places.own[window]);
        } else if constexpr (OP == kAverageInside || CEIL) {
          constexpr bool kPadded = OP == kAverage;
          const int count = H::template count<kPadded>(h0 + a, HEIGHT) * W::template count<kPadded>(w0 + b, WIDTH);
          v *= __fdividef(1.0f, static_cast<float>(count));
        }
#pragma unroll
        for (int c = 0; c < TW; ++c) {
          const int kw = Columns::place(tile_column, c, b);
          if (kw < 0 || kw >= KW) continue;
          part[c] += v;
#pragma unroll
          for (int r = 0; r < TH; ++r) {
            const int kh = Rows::place(tile_row, r, a);
            if (!kIsMax || kh < 0 || kh >= KH) continue;
            const int own = OP == kMaxPlace ? kh * KW + kw : (row + r) * WIDTH + column + c;
            if (chosen == own) sum[r][c] += v;
          }
        }
      }
      if constexpr (!kIsMax) {
#pragma unroll
        for (int r = 0; r < TH; ++r) {
          const int kh = Rows::place(tile_row, r, a);
          if (kh < 0 || kh >= KH) continue;
#pragma unroll
          for (int c = 0; c < TW; ++c) sum[r][c] += part[c];
        }
      }
    }
    constexpr float kShare = OP == kAverage && !CEIL ? 1.0f / (KH * KW) : 1.0f;
#pragma unroll
    for (int r = 0; r < TH; ++r) {
      if (row + r >= HEIGHT) break;
#pragma unroll
      for (int c = 0; c < TW; ++c)
        if (column + c < WIDTH)
          out.own[plane * kPixels + (row + r) * WIDTH + column + c] = wt::from_float<T>(sum[r][c] * kShare);
    }
  }
  __syncthreads();
  out.template store<BLOCK, STORES>(dx, out.own);
}

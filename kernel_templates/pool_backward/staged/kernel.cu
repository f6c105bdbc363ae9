// The gradient of pooling of planes that a block holds in shared memory: global memory is read and written in whole
// vectors, whatever the width of an image.
#include "common/span.cuh"
#include "staged_tile.cuh"

// A block has PLANES planes, a tile TH x TW elements of dx. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int PLANES, int HEIGHT, int WIDTH, int OUT_H, int OUT_W, int TH,
          int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_backward_staged(const T* __restrict__ dy, const I* __restrict__ indices, T* __restrict__ dx, i64 planes) {
  using Tile =
      GradientTile<T, I, OP, CEIL, 1, 1, HEIGHT, WIDTH, OUT_W, TH, TW, wt::Axis<KH, SH, PH>, wt::Axis<KW, SW, PW>>;
  constexpr int kPixels = HEIGHT * WIDTH, kWindows = OUT_H * OUT_W;
  constexpr int kAcross = wt::ceil_div(WIDTH, TW), kTiles = kAcross * wt::ceil_div(HEIGHT, TH);
  constexpr int kOut = wt::span_bytes<T>(PLANES * kPixels), kIn = wt::span_bytes<T>(PLANES * kWindows);
  extern __shared__ __align__(16) u8 memory[];
  const i64 first = i64(blockIdx.x) * PLANES;
  const int held = planes - first < PLANES ? static_cast<int>(planes - first) : PLANES;
  const wt::Span<T> out(first * kPixels, held * kPixels, memory);
  const wt::Span<T> in(first * kWindows, held * kWindows, memory + kOut);
  const wt::Span<I> places(in.first, in.count, memory + kOut + kIn);
  in.template copy<BLOCK>(dy);
  if constexpr (is_maximum(OP)) places.template copy<BLOCK>(indices);
  wt::async_copy_wait_all();
  __syncthreads();
  for (int i = threadIdx.x; i < held * kTiles; i += BLOCK) {
    const int plane = i / kTiles, row = i % kTiles / kAcross, column = i % kAcross; // of the tile, in tiles
    const Tile tile(in.own + plane * kWindows, places.own + plane * kWindows, row, column, 0, OUT_H);
    T* const to = out.own + plane * kPixels + row * TH * WIDTH + column * TW;
#pragma unroll
    for (int r = 0; r < TH; ++r) {
      if (row * TH + r >= HEIGHT) break;
#pragma unroll
      for (int c = 0; c < TW; ++c)
        if (column * TW + c < WIDTH) to[r * WIDTH + c] = wt::from_float<T>(tile.sums[r][c][0]);
    }
  }
  __syncthreads();
  out.template store<BLOCK, STORES>(dx, out.own);
}

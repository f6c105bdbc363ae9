// Pooling of planes that a block holds in shared memory: global memory is read and written in whole vectors, whatever
// the width of an image.
#include "common/early.cuh"
#include "common/span.cuh"
#include "staged_tile.cuh"

// A place, until it is stored: an index in a plane, or a byte.
template <typename I> struct PlaceOf { using type = int; };
template <> struct PlaceOf<u8> { using type = u8; };

// A block has PLANES planes, a tile TH x TW windows. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int PLANES, int HEIGHT, int WIDTH, int OUT_H, int OUT_W, int TH,
          int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_staged(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, i64 planes) {
  wt::wait_for_earlier_work();
  using Place = typename PlaceOf<I>::type;
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  constexpr int kPixels = HEIGHT * WIDTH, kWindows = OUT_H * OUT_W;
  constexpr int kAcross = wt::ceil_div(OUT_W, TW), kTiles = kAcross * wt::ceil_div(OUT_H, TH);
  constexpr bool kRowsExist = PH == 0 && wt::ceil_div(OUT_H, TH) * TH * SH - SH + KH <= HEIGHT;
  constexpr bool kColumnsExist = PW == 0 && kAcross * TW * SW - SW + KW <= WIDTH;
  using Tile = StagedTile<T, OP, CEIL, 1, 1, WIDTH, HEIGHT, WIDTH, TH, TW, H, W, kRowsExist, kColumnsExist>;
  constexpr int kIn = wt::span_bytes<T>(PLANES * kPixels), kOut = wt::span_bytes<T>(PLANES * kWindows);
  extern __shared__ __align__(16) u8 memory[];
  const i64 first = i64(blockIdx.x) * PLANES;
  const int held = planes - first < PLANES ? static_cast<int>(planes - first) : PLANES;
  const wt::Span<T> in(first * kPixels, held * kPixels, memory);
  const wt::Span<T> out(first * kWindows, held * kWindows, memory + kIn);
  const wt::Span<I> all_places(out.first, out.count, nullptr);
  Place* const places = reinterpret_cast<Place*>(memory + kIn + kOut) + all_places.lead;
  in.template copy<BLOCK>(x);
  wt::async_copy_wait_all();
  __syncthreads();
  for (int i = threadIdx.x; i < held * kTiles; i += BLOCK) {
    const int plane = i / kTiles, row = i % kTiles / kAcross * TH, column = i % kAcross * TW;
    Tile tile(in.own + plane * kPixels + H::start(row) * WIDTH + W::start(column), row, column);
    tile.template finish<OUT_H, OUT_W>([&](int t, int c, const Pooled<OP, T, 1>& one) {
      const int to = plane * kWindows + (tile.row + t) * OUT_W + tile.column + c;
      out.own[to] = one.result().v[0];
      if constexpr (has_place(OP)) places[to] = static_cast<Place>(one.place[0]);
    });
  }
  __syncthreads();
  out.template store<BLOCK, STORES>(y, out.own);
  if constexpr (has_place(OP)) all_places.template store<BLOCK, STORES>(indices, places);
}

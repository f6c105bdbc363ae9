// Pooling of planes that a block holds in shared memory: global memory is read and written in whole vectors, whatever
// the width of an image, and a thread computes tiles of windows from shared memory.
#include "common/span.cuh"
#include "pooled.cuh"

// A place, until it is stored: an index in a plane, or a byte.
template <typename I> struct PlaceOf { using type = int; };
template <> struct PlaceOf<u8> { using type = u8; };

// A block has PLANES planes, a tile TH x TW windows. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int PLANES, int HEIGHT, int WIDTH, int OUT_H, int OUT_W, int TH,
          int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_staged(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, i64 planes) {
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  using Place = typename PlaceOf<I>::type;
  constexpr int kPixels = HEIGHT * WIDTH, kWindows = OUT_H * OUT_W;
  constexpr int kAcross = wt::ceil_div(OUT_W, TW), kTiles = kAcross * wt::ceil_div(OUT_H, TH);
  constexpr int kRows = (TH - 1) * SH + KH, kColumns = (TW - 1) * SW + KW;
  constexpr bool kRowsExist = PH == 0 && wt::ceil_div(OUT_H, TH) * TH * SH - SH + KH <= HEIGHT;
  constexpr bool kColumnsExist = PW == 0 && kAcross * TW * SW - SW + KW <= WIDTH;
  extern __shared__ __align__(16) u8 memory[];
  const i64 first = i64(blockIdx.x) * PLANES;
  const int held = planes - first < PLANES ? static_cast<int>(planes - first) : PLANES;
  const wt::Span<T> in(first * kPixels, held * kPixels, memory);
  const wt::Span<T> out(first * kWindows, held * kWindows, memory + wt::span_bytes<T>(PLANES * kPixels));
  const wt::Span<I> all_places(out.first, out.count, nullptr);
  Place* const places =
      reinterpret_cast<Place*>(memory + wt::span_bytes<T>(PLANES * kPixels) + wt::span_bytes<T>(PLANES * kWindows)) +
      all_places.lead;
  in.template copy<BLOCK>(x);
  wt::async_copy_wait_all();
  __syncthreads();

  for (int i = threadIdx.x; i < held * kTiles; i += BLOCK) {
    const int plane = i / kTiles, row = i % kTiles / kAcross * TH, column = i % kAcross * TW;
    const int h0 = H::start(row), w0 = W::start(column);
    const T* const from = in.own + plane * kPixels + h0 * WIDTH + w0;
    Pooled<OP, 1> tile[TH][TW];
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int c = 0; c < TW; ++c) tile[t][c].clear(H::first_place(row + t) * KW + W::first_place(column + c));
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (!kRowsExist && static_cast<u32>(h0 + r) >= static_cast<u32>(HEIGHT)) continue;
      Pooled<OP, 1> part[TW]; // of the windows, their elements of this row
#pragma unroll
      for (int c = 0; c < TW; ++c) part[c].clear(0);
#pragma unroll
      for (int e = 0; e < kColumns; ++e) {
        const bool exists = kColumnsExist || static_cast<u32>(w0 + e) < static_cast<u32>(WIDTH);
        const float value = exists ? wt::to_float(from[r * WIDTH + e]) : outside<OP>();
#pragma unroll
        for (int c = 0; c < TW; ++c)
          if (const int place = e - c * SW; place >= 0 && place < KW) part[c].add(0, value, place);
      }
#pragma unroll
      for (int t = 0; t < TH; ++t)
        if (const int place = r - t * SH; place >= 0 && place < KH)
#pragma unroll
          for (int c = 0; c < TW; ++c) tile[t][c].merge(part[c], place * KW);
    }
#pragma unroll
    for (int t = 0; t < TH; ++t) {
      if (row + t >= OUT_H) break;
#pragma unroll
      for (int c = 0; c < TW; ++c) {
        if (column + c >= OUT_W) break;
        Pooled<OP, 1>& one = tile[t][c];
        const int to = plane * kWindows + (row + t) * OUT_W + column + c;
        if constexpr (is_average(OP)) {
          constexpr bool kPadded = OP == kAverage;
          const int count = H::template count<kPadded>(row + t, HEIGHT) * W::template count<kPadded>(column + c, WIDTH);
          one.scale(kPadded && !CEIL ? 1.0f / (KH * KW) : __fdividef(1.0f, static_cast<float>(count)));
        }
        out.own[to] = wt::from_float<T>(one.v[0]);
        if constexpr (has_place(OP)) {
          const int at = one.place[0];
          places[to] =
              static_cast<Place>(OP == kMaxPlace ? at : (h0 + t * SH + at / KW) * WIDTH + (w0 + c * SW + at % KW));
        }
      }
    }
  }
  __syncthreads();
  out.template store<BLOCK, STORES>(y, out.own);
  if constexpr (has_place(OP)) all_places.template store<BLOCK, STORES>(indices, places);
}

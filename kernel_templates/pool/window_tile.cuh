// The tile of windows of a thread that reads the tile's rows one by one, in vectors: of VEC channels, or of LOAD
// columns.
#pragma once

#include "pooled.cuh"

// TH x TW windows, H and W their axes. LOADS vectors hold a row, and the first window begins LEAD columns on. A row is
// begin_row(), add() for its vectors l, the row's r-th of the tile, and end_row(); places in it are `ahead` higher.
template <bool IN_PAIRS, typename T, int OP, int VEC, int LOAD, int LOADS, int LEAD, int TH, int TW, typename H,
          typename W>
struct WindowTile {
  using Windows = Pooled<OP, T, VEC>;
  static constexpr bool kUnrolled = LOADS <= 32;
  Windows windows[TH][TW], part[TW]; // part: of the windows, their elements of a row

  // `first`: the place that counts even if no element wins.
  __device__ __forceinline__ WindowTile(const int (&first)[TH][TW]) {
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int c = 0; c < TW; ++c) windows[t][c].clear(first[t][c]);
  }
  __device__ __forceinline__ void begin_row() {
#pragma unroll
    for (int c = 0; c < TW; ++c) part[c].clear(0);
  }
  __device__ __forceinline__ void add(int, int l, const wt::Vec<T, VEC * LOAD>& held) {
    typename Windows::V values[LOAD * Windows::kCount];
    unpack(held, values);
#pragma unroll
    for (int e = 0; e < LOAD; ++e)
#pragma unroll
      for (int c = 0; c < TW; ++c) {
        const int place = l * LOAD + e - LEAD - c * W::STRIDE;
        if (place < 0 || place >= W::SIZE) continue;
        if (kUnrolled && place == 0)
          part[c].begin(values + e);
        else
          part[c].add(values + e, place);
      }
  }
  __device__ __forceinline__ const Windows& window(int t, int c) const { return windows[t][c]; }
  __device__ __forceinline__ void end_row(int r, int ahead) {
#pragma unroll
    for (int t = 0; t < TH; ++t) {
      const int place = r - t * H::STRIDE;
      if (place < 0 || place >= H::SIZE) continue;
#pragma unroll
      for (int c = 0; c < TW; ++c) windows[t][c].merge(part[c], ahead + place * W::SIZE);
    }
  }
};

// Maxima of pairs of columns, over all rows; only then are the columns taken apart. For planes of 16-bit types.
template <typename T, int LOAD, int LOADS, int LEAD, int TH, int TW, typename H, typename W>
struct WindowTile<true, T, kMax, 1, LOAD, LOADS, LEAD, TH, TW, H, W> {
  Pooled<kMax, T, LOAD> columns[TH][LOADS];

  __device__ __forceinline__ WindowTile(const int (&)[TH][TW]) {
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int l = 0; l < LOADS; ++l) columns[t][l].clear(0);
  }
  __device__ __forceinline__ void begin_row() {}
  __device__ __forceinline__ void add(int r, int l, const wt::Vec<T, LOAD>& held) {
    if (l >= LOADS) return;
    u32 pairs[LOAD / 2];
    unpack(held, pairs);
#pragma unroll
    for (int t = 0; t < TH; ++t)
      if (const int place = r - t * H::STRIDE; place >= 0 && place < H::SIZE) columns[t][l].add(pairs, 0);
  }
  __device__ __forceinline__ void end_row(int, int) {}
  // The maxima of the windows [first, first + N) in row t of windows.
  template <int N> __device__ __forceinline__ wt::Vec<T, N> result(int t, int first) const {
    constexpr int kTogether = N == 1 ? 1 : 2;
    u32 pairs[N / kTogether];
#pragma unroll
    for (int n = 0; n < N; n += kTogether) {
      Pooled<kMax, T, 2> both;
#pragma unroll
      for (int w = 0; w < W::SIZE; ++w) {
        const int at = LEAD + (first + n) * W::STRIDE + w;
        const u32 pair = half(t, at) | half(t, kTogether == 1 ? at : at + W::STRIDE) << 16;
        if (w == 0)
          both.begin(&pair);
        else
          both.add(&pair, w);
      }
      pairs[n / kTogether] = both.v[0];
    }
    wt::Vec<T, N> maxima;
#pragma unroll
    for (int n = 0; n < N; ++n) maxima.v[n] = reinterpret_cast<const T*>(pairs)[n];
    return maxima;
  }

 private:
  __device__ __forceinline__ u32 half(int t, int at) const {
    const u32 pair = columns[t][at / LOAD].v[at % LOAD / 2];
    return at % 2 ? pair >> 16 : pair & 0xffffu;
  }
};

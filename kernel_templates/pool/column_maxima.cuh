// Maxima of the windows of a plane of a 16-bit type, from columns to rows: rows of a tile meet in whole vectors, a pair
// of columns an instruction, and only the columns that are left are taken apart.
#pragma once

#include "pooled.cuh"

// A tile has TH rows of windows; LOADS vectors of LOAD columns hold a row, and its first window begins LEAD columns on.
template <typename T, int LOAD, int LOADS, int LEAD, int TH, typename H, typename W> struct ColumnMaxima {
  Pooled<kMax, T, LOAD> columns[TH][LOADS];

  __device__ __forceinline__ ColumnMaxima() {
#pragma unroll
    for (int t = 0; t < TH; ++t)
#pragma unroll
      for (int l = 0; l < LOADS; ++l) columns[t][l].clear(0);
  }
  // Vector l of row r.
  __device__ __forceinline__ void add(int r, int l, const wt::Vec<T, LOAD>& held) {
    u32 pairs[LOAD / 2];
    unpack(held, pairs);
#pragma unroll
    for (int t = 0; t < TH; ++t)
      if (const int place = r - t * H::STRIDE; place >= 0 && place < H::SIZE) columns[t][l].add(pairs, 0);
  }
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

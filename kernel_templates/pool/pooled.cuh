// What a window becomes: an average, or the maximum with or without its place.
#pragma once

#include "common/ptx_numbers.cuh"
#include "common/windows.cuh"

enum Op : int { kMax, kMaxIndex, kMaxPlace, kAverage, kAverageInside };

constexpr bool has_place(int op) { return op == kMaxIndex || op == kMaxPlace; }
constexpr bool is_average(int op) { return op == kAverage || op == kAverageInside; }

// What elements outside the image count as.
template <int OP> __device__ __forceinline__ float outside() {
  return is_average(OP) ? 0.0f : __int_as_float(0xff800000);
}

// Of a window, or a part of it, in each of VEC channels. As in PyTorch the place is that of the first of equal maxima,
// but of the last NaN.
template <int OP, int VEC> struct Pooled {
  float v[VEC];
  int place[VEC];

  // `first` counts even if no element wins.
  __device__ __forceinline__ void clear(int first) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      v[k] = outside<OP>();
      place[k] = first;
    }
  }
  // An element with a higher place than those before it.
  __device__ __forceinline__ void add(int k, float value, int at) {
    if constexpr (is_average(OP)) {
      v[k] += value;
    } else if constexpr (OP == kMax) {
      v[k] = wt::max_nan(v[k], value);
    } else if (value > v[k] || value != value) {
      v[k] = value;
      place[k] = at;
    }
  }
  // A part whose places are `ahead` higher.
  __device__ __forceinline__ void merge(const Pooled& part, int ahead) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) add(k, part.v[k], part.place[k] + ahead);
  }
  __device__ __forceinline__ void scale(float factor) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] *= factor;
  }
};

// N neighbours of what is stored as the place: int64 in pairs, or bytes.
template <typename I, int N> __device__ __forceinline__ void store_places(I* to, const I (&places)[N]) {
  constexpr int kWide = N * sizeof(I) <= 16 ? N : 16 / sizeof(I);
#pragma unroll
  for (int k = 0; k < N; k += kWide) {
    wt::Vec<I, kWide> some;
#pragma unroll
    for (int i = 0; i < kWide; ++i) some.v[i] = places[k + i];
    wt::store<wt::kDefault>(to + k, some);
  }
}

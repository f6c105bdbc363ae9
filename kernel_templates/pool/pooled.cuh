// What a window becomes: an average, or the maximum with or without its place.
#pragma once

#include "common/ptx_numbers.cuh"
#include "common/ptx_pairs.cuh"
#include "common/windows.cuh"

enum Op : int { kMax, kMaxIndex, kMaxPlace, kAverage, kAverageInside };

constexpr bool has_place(int op) { return op == kMaxIndex || op == kMaxPlace; }
constexpr bool is_average(int op) { return op == kAverage || op == kAverageInside; }

// What sums and maxima in N channels of type T are computed in: floats. Maxima without places stay as they are, in
// pairs if N is even.
template <int OP, typename T, int N> __device__ __forceinline__ auto computed_in() {
  if constexpr (OP != kMax || sizeof(T) != 2)
    return 0.0f;
  else if constexpr (N % 2 == 0)
    return 0u;
  else
    return T();
}
template <int OP, typename T, int N> using Value = decltype(computed_in<OP, T, N>());

// Elements as values, and values as elements.
template <typename T, int N, typename V, int COUNT>
__device__ __forceinline__ void unpack(const wt::Vec<T, N>& elements, V (&values)[COUNT]) {
  if constexpr (wt::is_same<V, float>)
    wt::unpack<T, N>(elements, values);
  else
#pragma unroll
    for (int i = 0; i < COUNT; ++i) values[i] = reinterpret_cast<const V*>(&elements)[i];
}
template <typename T, int N, typename V, int COUNT>
__device__ __forceinline__ wt::Vec<T, N> pack(const V (&values)[COUNT]) {
  if constexpr (wt::is_same<V, float>) {
    return wt::pack<T, N>(values);
  } else {
    wt::Vec<T, N> elements;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) reinterpret_cast<V*>(&elements)[i] = values[i];
    return elements;
  }
}

// What elements outside the image count as, as elements and as values of type V.
template <int OP, typename T, typename V = T> __device__ __forceinline__ V outside() {
  constexpr bool kHalf = wt::is_same<T, __half>;
  if constexpr (is_average(OP))
    return wt::from_float<V>(0.0f);
  else if constexpr (wt::is_same<V, float>)
    return __int_as_float(0xff800000);
  else if constexpr (wt::is_same<V, u32>)
    return kHalf ? 0xfc00fc00u : 0xff80ff80u;
  else if constexpr (kHalf)
    return __ushort_as_half(0xfc00);
  else
    return __ushort_as_bfloat16(0xff80);
}

// Of a window, or a part of it, in each of VEC channels. As in PyTorch the place is that of the first of equal maxima,
// but of the last NaN.
template <int OP, typename T, int VEC> struct Pooled {
  using V = Value<OP, T, VEC>;
  static constexpr bool kIsPair = wt::is_same<V, u32>;
  static constexpr int kCount = kIsPair ? VEC / 2 : VEC;
  V v[kCount];
  int place[VEC];

  // `first` counts even if no element wins.
  __device__ __forceinline__ void clear(int first) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) v[k] = outside<OP, T, V>();
#pragma unroll
    for (int k = 0; k < VEC; ++k) place[k] = first;
  }
  // An element in each channel, with a higher place than those before it.
  __device__ __forceinline__ void add(const V* values, int at) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) add(k, values[k], at);
  }
  // In place of clear(0) and add(values, 0).
  __device__ __forceinline__ void begin(const V* values) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) v[k] = values[k];
#pragma unroll
    for (int k = 0; k < VEC; ++k) place[k] = 0;
  }
  // A part whose places are `ahead` higher.
  __device__ __forceinline__ void merge(const Pooled& part, int ahead) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) add(k, part.v[k], part.place[k] + ahead);
  }
  __device__ __forceinline__ void scale(float factor) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] *= factor;
  }
  __device__ __forceinline__ wt::Vec<T, VEC> result() const { return pack<T, VEC>(v); }

 private:
  __device__ __forceinline__ void add(int k, V value, int at) {
    if constexpr (is_average(OP)) {
      v[k] += value;
    } else if constexpr (kIsPair) {
      v[k] = wt::max_nan2<T>(v[k], value);
    } else if constexpr (OP == kMax && wt::is_same<V, float>) {
      v[k] = wt::max_nan(v[k], value);
    } else if constexpr (OP == kMax) {
      v[k] = __hmax_nan(v[k], value);
    } else if (value > v[k] || value != value) {
      v[k] = value;
      place[k] = at;
    }
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

// What is reduced: the part of a result that some elements give, parts that become one, and the result of the whole. A
// thread adds RUNS runs of RUN neighbours at a time; the runs are numbered at, at + step, ... `holds(run, k)` says
// which elements exist; others are `outside`.
#pragma once

#include "common/moments.cuh"
#include "common/ptx_numbers.cuh"
#include "common/row_exchange.cuh"

enum Kind : int { kSum, kMean, kProd, kMax, kMin, kL1, kL2, kVariance, kArgmax, kArgmin };

constexpr bool is_arg(int kind) { return kind == kArgmax || kind == kArgmin; }

__device__ __forceinline__ float infinity() { return __int_as_float(0x7f800000); }

struct HoldsAll {
  __device__ __forceinline__ bool operator()(int, int) const { return true; }
};

// What an element that does not exist counts as.
template <int KIND> __device__ __forceinline__ float outside() {
  return KIND == kProd                     ? 1.0f
         : KIND == kMax || KIND == kArgmax ? -infinity()
         : KIND == kMin || KIND == kArgmin ? infinity()
                                           : 0.0f;
}
template <int KIND, typename T, int VEC> __device__ __forceinline__ wt::Vec<T, VEC> outside_vector() {
  wt::Vec<T, VEC> value;
#pragma unroll
  for (int k = 0; k < VEC; ++k) value.v[k] = wt::from_float<T>(outside<KIND>());
  return value;
}
// Two values as one.
template <int KIND> __device__ __forceinline__ float both(float a, float b) {
  if constexpr (KIND == kProd)
    return a * b;
  else if constexpr (KIND == kMax || KIND == kArgmax)
    return wt::max_nan(a, b);
  else if constexpr (KIND == kMin || KIND == kArgmin)
    return wt::min_nan(a, b);
  else
    return a + b;
}
// A run of elements as one value, by a tree.
template <int KIND, int N> __device__ __forceinline__ float all_of(const float (&v)[N]) {
  float t[N];
#pragma unroll
  for (int k = 0; k < N; ++k) t[k] = KIND == kL1 ? fabsf(v[k]) : KIND == kL2 ? v[k] * v[k] : v[k];
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2) {
#pragma unroll
    for (int k = 0; k < width; ++k) t[k] = both<KIND>(t[k], t[k + width]);
  }
  return t[0];
}

template <int KIND> struct alignas(8) Value {
  static constexpr int kFloats = 1;
  float value = outside<KIND>();

  __device__ __forceinline__ void begin(int) {}
  __device__ __forceinline__ void merge(const Value& other) { value = both<KIND>(value, other.value); }
  template <int RUNS, int RUN, typename Holds>
  __device__ __forceinline__ void add(const float (&v)[RUNS][RUN], int, int, const Holds&) {
#pragma unroll
    for (int i = 0; i < RUNS; ++i) value = both<KIND>(value, all_of<KIND>(v[i]));
  }
};

// The extreme and its place: the first NaN, or else the first of equal extremes. A thread adds runs in their order.
template <int KIND, typename Index> struct alignas(8) Best {
  static constexpr int kFloats = sizeof(Index) == 8 ? 4 : 2;
  float value = outside<KIND>();
  Index index = static_cast<Index>(~u64(0) >> (65 - 8 * sizeof(Index))); // behind all others

  static __device__ __forceinline__ bool wins(float a, float b) {
    return !(KIND == kArgmax ? a <= b : a >= b) && b == b;
  }
  // The place counts even if no element wins over `outside`.
  __device__ __forceinline__ void begin(int first) { index = first; }
  __device__ __forceinline__ void merge(const Best& other) {
    if (wins(other.value, value) || (!wins(value, other.value) && other.index < index)) *this = other;
  }
  // The index of a run: its element is found afterwards.
  template <int RUNS, int RUN, typename Holds>
  __device__ __forceinline__ void add(const float (&v)[RUNS][RUN], int at, int step, const Holds&) {
#pragma unroll
    for (int i = 0; i < RUNS; ++i) {
      const float extreme = all_of<KIND>(v[i]);
      if (!wins(extreme, value)) continue;
      value = extreme;
      index = at + i * step;
    }
  }
};

struct Spread : wt::Moments {
  __device__ __forceinline__ void begin(int) {}
  template <int RUNS, int RUN, typename Holds>
  __device__ __forceinline__ void add(const float (&v)[RUNS][RUN], int, int, const Holds& holds) {
    float sum = 0;
    int elements = 0;
#pragma unroll
    for (int i = 0; i < RUNS * RUN; ++i) {
      sum += v[i / RUN][i % RUN];
      elements += holds(i / RUN, i % RUN);
    }
    Moments part;
    part.count = static_cast<float>(elements);
    part.mean = elements > 0 ? __fdividef(sum, part.count) : 0.0f;
#pragma unroll
    for (int i = 0; i < RUNS * RUN; ++i) {
      const float apart = holds(i / RUN, i % RUN) ? v[i / RUN][i % RUN] - part.mean : 0.0f;
      part.squares = fmaf(apart, apart, part.squares);
    }
    merge(part);
  }
};

template <int KIND, typename Index> struct PartOf { using type = Value<KIND>; };
template <typename Index> struct PartOf<kVariance, Index> { using type = Spread; };
template <typename Index> struct PartOf<kArgmax, Index> { using type = Best<kArgmax, Index>; };
template <typename Index> struct PartOf<kArgmin, Index> { using type = Best<kArgmin, Index>; };
template <int KIND> using Part = typename PartOf<KIND, int>::type;
template <int KIND> using Whole = typename PartOf<KIND, i64>::type; // indices beyond 2^31

// A part of a piece that begins at element `first`.
template <int KIND> __device__ __forceinline__ Whole<KIND> whole_of(const Part<KIND>& part, i64 first) {
  if constexpr (is_arg(KIND)) {
    Whole<KIND> whole;
    whole.value = part.value;
    whole.index = first + part.index;
    return whole;
  } else {
    return part;
  }
}

template <int KIND, typename R>
__device__ __forceinline__ R result_of(const Whole<KIND>& whole, i64 n, float correction) {
  if constexpr (is_arg(KIND))
    return whole.index;
  else if constexpr (KIND == kVariance)
    return wt::from_float<R>(whole.squares / fmaxf(n - correction, 0.0f));
  else if constexpr (KIND == kMean)
    return wt::from_float<R>(whole.value / n);
  else if constexpr (KIND == kL2)
    return wt::from_float<R>(sqrtf(whole.value));
  else
    return wt::from_float<R>(whole.value);
}

// What all implementations of row_norm compute: the statistics of a row from its parts, and an element from them.
#pragma once

#include "common/moments.cuh"
#include "common/row_exchange.cuh"

template <bool RMS> struct PartOf { using type = wt::Moments; };
template <> struct PartOf<true> { using type = wt::Sums<1>; };
template <bool RMS> using Part = typename PartOf<RMS>::type;
// What the threads of a row that is in registers exchange.
template <bool RMS, int CLUSTER> using PartOfHeld = typename PartOf<RMS || CLUSTER == 1>::type;

template <bool RMS, typename T, int VEC, bool ALIGNED, int N>
__device__ __forceinline__ Part<RMS> part_of(const wt::Row<T, VEC, ALIGNED>& row, const wt::Vec<T, VEC> (&held)[N],
                                             int at, int step) {
  if constexpr (RMS) {
    Part<RMS> part;
    part.v[0] = wt::squares_of<T, VEC, N>(held);
    return part;
  } else {
    return wt::moments_of<T, VEC, ALIGNED, N>(row, held, at, step);
  }
}

// RMSNorm subtracts nothing. A row with an infinity has the mean NaN, as in PyTorch, in whatever order parts were
// merged.
struct Scale {
  float mean, rstd;
};
__device__ __forceinline__ Scale scale_of(const wt::Moments& row, int cols, float eps) {
  return {isnan(row.squares) ? row.squares : row.mean, rsqrtf(__fdividef(row.squares, cols) + eps)};
}
__device__ __forceinline__ Scale scale_of(const wt::Sums<1>& row, int cols, float eps) {
  return {0.0f, rsqrtf(__fdividef(row.v[0], cols) + eps)};
}

// The same for a row in registers: the deviations are those from the mean of the row. That takes two sums over the
// threads, add_up(sum), one after the other, but fewer instructions than merging moments.
template <bool RMS, typename T, int VEC, bool ALIGNED, int N, typename AddUp>
__device__ __forceinline__ Scale scale_of_held(const wt::Row<T, VEC, ALIGNED>& row, wt::Vec<T, VEC> (&held)[N], int at,
                                               int step, int cols, float eps, const AddUp& add_up) {
  constexpr bool kPacked = N * VEC > 32; // as floats, so many would need too many registers
  if constexpr (RMS) {
    const wt::Sums<1> squares = part_of<RMS>(row, held, at, step);
    if constexpr (kPacked) wt::keep_packed(held);
    return scale_of(add_up(squares), cols, eps);
  } else {
    float v[VEC];
    wt::Sums<1> sum, squares;
#pragma unroll
    for (int i = 0; i < N; ++i) { // elements outside the row are 0
      wt::unpack<T, VEC>(held[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) sum.v[0] += v[k];
    }
    if constexpr (kPacked) wt::keep_packed(held);
    const float mean = __fdividef(add_up(sum).v[0], cols);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (ALIGNED && !row.holds(at + i * step, 0)) continue;
      wt::unpack<T, VEC>(held[i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        const float apart = row.holds(at + i * step, k) ? v[k] - mean : 0.0f;
        squares.v[0] = fmaf(apart, apart, squares.v[0]);
      }
    }
    if constexpr (kPacked) wt::keep_packed(held);
    const Scale scale = scale_of(add_up(squares), cols, eps);
    return {isnan(scale.rstd) ? scale.rstd : mean, scale.rstd};
  }
}

// The statistics that a backward pass reads, where the caller asks for them.
template <bool RMS, bool STATS>
__device__ __forceinline__ void save(const Scale& scale, float* mean, float* rstd, i64 row) {
  if constexpr (STATS) {
    if constexpr (!RMS) mean[row] = scale.mean;
    rstd[row] = scale.rstd;
  }
}

// The sum of input and residual as the next layers see it: rounded to T, before it is normalised.
template <typename T, int VEC>
__device__ __forceinline__ wt::Vec<T, VEC> add(const wt::Vec<T, VEC>& x, const wt::Vec<T, VEC>& residual) {
  float a[VEC], b[VEC];
  wt::unpack<T, VEC>(x, a);
  wt::unpack<T, VEC>(residual, b);
#pragma unroll
  for (int k = 0; k < VEC; ++k) a[k] += b[k];
  return wt::pack<T, VEC>(a);
}

// A vector of x, or of x + residual, which then also goes to `sum`.
template <bool RESIDUAL, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ wt::Vec<T, VEC> load_input(const wt::Row<T, VEC, ALIGNED>& row, const T* x,
                                                      const T* residual, T* sum, int i) {
  wt::Vec<T, VEC> value = row.load(x, i);
  if constexpr (RESIDUAL) {
    value = add<T, VEC>(value, row.load(residual, i));
    row.store(sum, i, value);
  }
  return value;
}

// The weight and bias of a vector's columns, as far as the norm has them.
template <typename T, int VEC, bool WEIGHT, bool BIAS> struct Columns {
  wt::Vec<T, VEC> weight, bias;

  template <bool ALIGNED>
  __device__ __forceinline__ void load(const wt::Row<T, VEC, ALIGNED>& row, const T* weights, const T* biases, int i) {
    if constexpr (WEIGHT) weight = row.load_columns(weights, i);
    if constexpr (BIAS) bias = row.load_columns(biases, i);
  }
  // The same before a barrier, for whole rows of vectors: the compiler moves loads through const __restrict__ behind the
  // barrier, but not one with a hint.
  __device__ __forceinline__ void load_before(const wt::Row<T, VEC, true>& row, const T* weights, const T* biases,
                                              int i) {
    *this = {};
    if (i >= row.vectors) return;
    if constexpr (WEIGHT) weight = wt::load<wt::kPrefetch256, wt::Vec<T, VEC>>(weights + i64(i) * VEC);
    if constexpr (BIAS) bias = wt::load<wt::kPrefetch256, wt::Vec<T, VEC>>(biases + i64(i) * VEC);
  }
  __device__ __forceinline__ wt::Vec<T, VEC> normalise(const wt::Vec<T, VEC>& vector, const Scale& scale) const {
    float v[VEC], w[VEC], b[VEC];
    wt::unpack<T, VEC>(vector, v);
    if constexpr (WEIGHT) wt::unpack<T, VEC>(weight, w);
    if constexpr (BIAS) wt::unpack<T, VEC>(bias, b);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      v[k] = (v[k] - scale.mean) * scale.rstd;
      if constexpr (WEIGHT) v[k] *= w[k];
      if constexpr (BIAS) v[k] += b[k];
    }
    return wt::pack<T, VEC>(v);
  }
};

// Normalises a vector with the weight and bias of its columns, and stores it.
template <bool WEIGHT, bool BIAS, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ void store_normalised(const wt::Row<T, VEC, ALIGNED>& row, const wt::Vec<T, VEC>& value,
                                                 const Scale& scale, const T* weight, const T* bias, T* y, int i) {
  if (ALIGNED && i >= row.vectors) return;
  Columns<T, VEC, WEIGHT, BIAS> columns;
  columns.load(row, weight, bias, i);
  row.store(y, i, columns.normalise(value, scale));
}

// What the implementations of row_norm_quantise share: the statistics of a row, its normalised elements in fp32, and
// their quantised form. The formulas are those of row_norm and quantise.
#pragma once

#include "common/magnitudes.cuh"
#include "common/moments.cuh"
#include "common/narrow.cuh"

using Largest = wt::Magnitude<wt::kLargest>;

// A row with an infinity has the mean NaN, as in PyTorch. RMSNorm subtracts nothing.
struct Statistics {
  float mean, rstd;
};
__device__ __forceinline__ Statistics statistics_of(const wt::Moments& row, int cols, float eps) {
  return {isnan(row.squares) ? row.squares : row.mean, rsqrtf(__fdividef(row.squares, cols) + eps)};
}
__device__ __forceinline__ Statistics statistics_of(const wt::Sums<1>& row, int cols, float eps) {
  return {0.0f, rsqrtf(__fdividef(row.v[0], cols) + eps)};
}

// The sum of input and residual as the next layers see it: rounded to T.
template <typename T, int VEC>
__device__ __forceinline__ wt::Vec<T, VEC> add(const wt::Vec<T, VEC>& x, const wt::Vec<T, VEC>& residual) {
  float a[VEC], b[VEC];
  wt::unpack<T, VEC>(x, a);
  wt::unpack<T, VEC>(residual, b);
#pragma unroll
  for (int k = 0; k < VEC; ++k) a[k] += b[k];
  return wt::pack<T, VEC>(a);
}

// The same for the vectors i, i + step, ... of a row, which also go to `sum`.
template <typename T, int VEC, bool ALIGNED, int N>
__device__ __forceinline__ void add_residual(const wt::Row<T, VEC, ALIGNED>& row, const T* residual, T* sum, int i,
                                             int step, wt::Vec<T, VEC> (&held)[N]) {
  wt::Vec<T, VEC> others[N];
  row.load_batch(residual, i, step, others, row.cols);
#pragma unroll
  for (int n = 0; n < N; ++n) {
    held[n] = add<T, VEC>(held[n], others[n]);
    row.store(sum, i + n * step, held[n]);
  }
}

// Normalises vector i of a row, with the weight and bias of its columns. Elements that are not of the row become 0.
template <bool WEIGHT, bool BIAS, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ void normalise(const wt::Row<T, VEC, ALIGNED>& row, const Statistics& own,
                                          const float (&weight)[VEC], const float (&bias)[VEC], int i,
                                          float (&v)[VEC]) {
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    v[k] = (v[k] - own.mean) * own.rstd;
    if constexpr (WEIGHT) v[k] *= weight[k];
    if constexpr (BIAS) v[k] += bias[k];
    if (!row.holds(i, k)) v[k] = 0.0f;
  }
}
template <bool WEIGHT, bool BIAS, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ void load_and_normalise(const wt::Row<T, VEC, ALIGNED>& row, const Statistics& own,
                                                   const T* weight, const T* bias, int i, float (&v)[VEC]) {
  float w[VEC], b[VEC];
  if constexpr (WEIGHT) row.load_columns(weight, i, w);
  if constexpr (BIAS) row.load_columns(bias, i, b);
  normalise<WEIGHT, BIAS>(row, own, w, b, i, v);
}

template <int VEC> __device__ __forceinline__ void add_largest(Largest& part, const float (&v)[VEC]) {
#pragma unroll
  for (int k = 0; k < VEC; ++k) part.value = wt::max_nan(part.value, fabsf(v[k]));
}

template <typename Q> __device__ __forceinline__ float scale_of(const Largest& row, float least_scale) {
  return wt::max_nan(row.value / wt::largest<Q>, least_scale);
}

template <typename Q, int VEC, bool ALIGNED>
__device__ __forceinline__ void store_quantised(const wt::Row<Q, VEC, ALIGNED>& row, const float (&v)[VEC],
                                                float inverse, Q* y, int i) {
  float scaled[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) scaled[k] = v[k] * inverse;
  row.store(y, i, wt::narrow<Q, VEC>(scaled));
}

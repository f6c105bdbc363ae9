// What the implementations of row_norm_backward share. With x^ = (x - mean) * rstd and g = dy * weight:
//   dx = rstd * (g - mean of g - x^ * mean of g * x^), dweight = sum of dy * x^ over the rows, dbias = sum of dy.
// RMSNorm has no mean: neither that of x nor that of g.
#pragma once

#include "common/async.cuh"
#include "common/column_sums.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

struct Statistics {
  float mean, rstd;
};
template <bool RMS>
__device__ __forceinline__ Statistics statistics(const float* mean, const float* rstd, i64 row, i64 rows) {
  if (row >= rows) return {0.0f, 0.0f};
  return {RMS ? 0.0f : mean[row], rstd[row]};
}

// A vector of a row as floats.
template <int VEC> struct Terms {
  float g[VEC], x[VEC]; // dy, x^

  template <typename T>
  __device__ __forceinline__ Terms(const wt::Vec<T, VEC>& dy, const wt::Vec<T, VEC>& input, const Statistics& row) {
    wt::unpack<T, VEC>(dy, g);
    wt::unpack<T, VEC>(input, x);
#pragma unroll
    for (int k = 0; k < VEC; ++k) x[k] = (x[k] - row.mean) * row.rstd;
  }
  __device__ __forceinline__ void scale(const float (&weight)[VEC]) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) g[k] *= weight[k];
  }
  // The sums of g * x^ and of g. Elements outside the row have dy = 0.
  __device__ __forceinline__ void add_to(wt::Sums<2>& sums) const {
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      sums.v[0] = fmaf(g[k], x[k], sums.v[0]);
      sums.v[1] += g[k];
    }
  }
  // `added` is the gradient that reaches x past the norm.
  template <bool RMS, typename T>
  __device__ __forceinline__ wt::Vec<T, VEC> gradient(const wt::Sums<2>& sums, const Statistics& row, int cols,
                                                      const float (&added)[VEC]) const {
    const float along = sums.v[0] / cols, mean = RMS ? 0.0f : sums.v[1] / cols;
    float v[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = fmaf(row.rstd, g[k] - mean - x[k] * along, added[k]);
    return wt::pack<T, VEC>(v);
  }
};

// 0 where there is no residual.
template <bool RESIDUAL, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ void load_added(const wt::Row<T, VEC, ALIGNED>& row, const T* dsum, int i,
                                           float (&added)[VEC]) {
#pragma unroll
  for (int k = 0; k < VEC; ++k) added[k] = 0.0f;
  if constexpr (RESIDUAL) wt::unpack<T, VEC>(row.load(dsum, i), added);
}

// A block of 32 warps for each 32 columns, and one row of blocks for each of the sums. dweight's parts come first.
// DEPENDENT: starts before the launch that writes the parts has ended.
template <typename T, bool WEIGHT, bool DEPENDENT>
__global__ void __launch_bounds__(1024) add_row_parts(const float* parts, T* __restrict__ dweight,
                                                      T* __restrict__ dbias, i64 count, int cols) {
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  const int column = blockIdx.x * 32 + threadIdx.x % 32, which = blockIdx.y;
  const float sum = wt::add_parts<32>(parts + which * count * cols, count, cols, column);
  T* to = WEIGHT && which == 0 ? dweight : dbias;
  if (threadIdx.x < 32 && column < cols) to[column] = wt::from_float<T>(sum);
}

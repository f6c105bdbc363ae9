// What the implementations of masked_softmax_backward compute, from the result y and its gradient dy:
//   softmax: dx = scale * y * (dy - sum of dy * y), log-softmax: dx = scale * (dy - e^y * sum of dy).
#pragma once

#include "common/causal.cuh"
#include "common/exp_sum.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

// A vector of y or dy; 0 beyond the causal limit, where dx is 0 and neither is read.
template <typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ wt::Vec<T, VEC> load_seen(const wt::Row<T, VEC, ALIGNED>& row, const T* matrix, int limit,
                                                     int i) {
  wt::Vec<T, VEC> vector{};
  if (row.column(i) < limit) vector = row.load(matrix, i);
  if (row.column(i) + VEC > limit)
#pragma unroll
    for (int k = 0; k < VEC; ++k)
      if (row.column(i) + k >= limit) vector.v[k] = wt::from_float<T>(0.0f);
  return vector;
}

template <bool LOG, typename T, int VEC>
__device__ __forceinline__ float term_sum(const wt::Vec<T, VEC>& y, const wt::Vec<T, VEC>& dy) {
  float v[VEC], g[VEC], sum = 0;
  wt::unpack<T, VEC>(y, v);
  wt::unpack<T, VEC>(dy, g);
#pragma unroll
  for (int k = 0; k < VEC; ++k) sum = LOG ? sum + g[k] : fmaf(v[k], g[k], sum);
  return sum;
}

template <bool LOG, typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ void store_gradient(const wt::Row<T, VEC, ALIGNED>& row, T* dx, const wt::Vec<T, VEC>& y,
                                               const wt::Vec<T, VEC>& dy, float sum, float scale, int limit, int i) {
  float v[VEC], g[VEC];
  wt::unpack<T, VEC>(y, v);
  wt::unpack<T, VEC>(dy, g);
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const float centred = LOG ? fmaf(-wt::exp_of(v[k], 0.0f), sum, g[k]) : v[k] * (g[k] - sum);
    v[k] = row.column(i) + k < limit ? scale * centred : 0.0f;
  }
  row.store(dx, i, wt::pack<T, VEC>(v));
}

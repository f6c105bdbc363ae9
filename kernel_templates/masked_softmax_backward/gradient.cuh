// What the implementations of masked_softmax_backward compute, from the result y and its gradient dy:
//   softmax: dx = scale * y * (dy - sum of dy * y), log-softmax: dx = scale * (dy - e^y * sum of dy).
#pragma once

#include "common/causal.cuh"
#include "common/exp_sum.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

// A thread's vectors of y and dy: the vectors i, i + step, ... that begin before the causal limit. LIMITED: the limit,
// which is a whole number of vectors otherwise, may lie inside one.
template <bool LIMITED, int N, typename T, int VEC, bool ALIGNED> struct Loaded {
  wt::Vec<T, VEC> y[N], dy[N];

  __device__ __forceinline__ Loaded(const wt::Row<T, VEC, ALIGNED>& row, const T* results, const T* gradients,
                                    int limit, int i, int step) {
    row.load_batch(results, i, step, y, limit);
    row.load_batch(gradients, i, step, dy, limit);
  }
  // From rows in shared memory, which have whole vectors; vectors behind the row are 0.
  __device__ __forceinline__ Loaded(const wt::Vec<T, VEC>* results, const wt::Vec<T, VEC>* gradients, int vectors,
                                    int first, int step) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const int i = first + n * step;
      y[n] = i < vectors ? results[i] : wt::Vec<T, VEC>{};
      dy[n] = i < vectors ? gradients[i] : wt::Vec<T, VEC>{};
    }
  }
  // 0 outside the columns [0, limit): dx is 0 there, whatever y and dy hold. `column` is that of the first element.
  __device__ __forceinline__ void floats(int n, int column, int limit, float (&v)[VEC], float (&g)[VEC]) const {
    wt::unpack<T, VEC>(y[n], v);
    wt::unpack<T, VEC>(dy[n], g);
    if constexpr (LIMITED) {
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        if (static_cast<u32>(column + k) >= static_cast<u32>(limit)) v[k] = g[k] = 0.0f;
    }
  }
  template <bool LOG> __device__ __forceinline__ float term_sum(int n, int column, int limit) const {
    float v[VEC], g[VEC], sum = 0;
    floats(n, column, limit, v, g);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sum = LOG ? sum + g[k] : fmaf(v[k], g[k], sum);
    return sum;
  }
  template <bool LOG>
  __device__ __forceinline__ wt::Vec<T, VEC> gradient(int n, float sum, float scale, int column, int limit) const {
    float v[VEC], g[VEC];
    floats(n, column, limit, v, g);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float centred = LOG ? fmaf(-wt::exp_of(v[k], 0.0f), sum, g[k]) : v[k] * (g[k] - sum);
      const bool seen = LIMITED ? static_cast<u32>(column + k) < static_cast<u32>(limit) : column < limit;
      v[k] = seen ? scale * centred : 0.0f;
    }
    return wt::pack<T, VEC>(v);
  }
};

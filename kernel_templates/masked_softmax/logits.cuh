// What the implementations of masked_softmax compute: the scaled and masked elements of a row, and the results.
#pragma once

#include "common/causal.cuh"
#include "common/exp_sum.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

enum Mask : int { kNoMask = 0, kBool = 1, kAdditive = 2 };

template <int MASK, typename T> struct MaskType { using type = T; };
template <typename T> struct MaskType<kBool, T> { using type = bool; };
template <int MASK, typename T> using MaskOf = typename MaskType<MASK, T>::type;

// A row of the mask. `heads` matrices of x share a matrix of the mask, or a row of it (ONE_ROW).
template <int MASK, bool ONE_ROW, typename M>
__device__ __forceinline__ const M* mask_row(const M* mask, i64 row, int queries, int heads, int cols) {
  if constexpr (MASK == kNoMask) return nullptr;
  const i64 sample = row / (i64(queries) * heads);
  return mask + (ONE_ROW ? sample : sample * queries + row % queries) * cols;
}

// A thread's vectors of a row and of its mask as they lie in memory: the vectors i, i + step, ... that begin before the
// limit. LIMITED: the limit, which is a whole number of vectors otherwise, may lie inside one.
template <int MASK, bool LIMITED, int N, typename T, int VEC, bool ALIGNED> struct Loaded {
  using M = MaskOf<MASK, T>;
  wt::Vec<T, VEC> x[N];
  wt::Vec<M, VEC> mask[MASK == kNoMask ? 1 : N];

  __device__ __forceinline__ Loaded(const wt::Row<T, VEC, ALIGNED>& row, const T* matrix, const M* masks, int limit,
                                    int i, int step) {
    row.load_batch(matrix, i, step, x, limit);
    if constexpr (MASK != kNoMask) {
#pragma unroll
      for (int n = 0; n < N; ++n) mask[n] = row.load_columns(masks, i + n * step);
    }
  }
  // The elements of vector n after scale and mask; minus infinity where masked out, and outside the columns [0, limit).
  // `column` is that of the first element.
  __device__ __forceinline__ void logits(int n, float scale, int column, int limit, float (&v)[VEC]) const {
    float m[VEC];
    wt::unpack<T, VEC>(x[n], v);
    if constexpr (MASK == kAdditive) wt::unpack<T, VEC>(mask[n], m);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      v[k] = MASK == kAdditive ? fmaf(v[k], scale, m[k]) : v[k] * scale;
      bool seen = LIMITED ? static_cast<u32>(column + k) < static_cast<u32>(limit) : column < limit;
      if constexpr (MASK == kBool) seen = seen && mask[n].v[k];
      if (!seen) v[k] = wt::minus_infinity();
    }
  }
};

// The results of logits. A row without a finite element gives NaN, as in PyTorch.
template <bool LOG, typename T, int VEC>
__device__ __forceinline__ wt::Vec<T, VEC> softmax_of(const float (&v)[VEC], const wt::ExpSum& row) {
  float y[VEC];
  if constexpr (LOG) {
    const float log_sum = logf(row.sum);
#pragma unroll
    for (int k = 0; k < VEC; ++k) y[k] = (v[k] - row.max) - log_sum;
  } else {
    const float offset = wt::exp_offset(row.max), share = 1.0f / row.sum;
#pragma unroll
    for (int k = 0; k < VEC; ++k) y[k] = wt::exp_of(v[k], offset) * share;
  }
  return wt::pack<T, VEC>(y);
}

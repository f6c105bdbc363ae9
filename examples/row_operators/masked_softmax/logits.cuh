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

// The elements of a vector after scale and mask; minus infinity at the limit, outside the row and where masked out.
template <int MASK, typename T, int VEC, bool ALIGNED, typename M>
__device__ __forceinline__ void load_logits(const wt::Row<T, VEC, ALIGNED>& row, const T* x, const M* mask, float scale,
                                            int limit, int i, float (&v)[VEC]) {
  const int column = row.column(i);
  wt::Vec<T, VEC> vector{};
  float m[VEC];
  if (column < limit) {
    vector = row.load(x, i);
    if constexpr (MASK != kNoMask) row.load_columns(mask, i, m);
  }
  wt::unpack<T, VEC>(vector, v);
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    bool seen = static_cast<u32>(column + k) < static_cast<u32>(limit);
    if constexpr (MASK == kBool) seen = seen && m[k] != 0.0f;
    v[k] = MASK == kAdditive ? fmaf(v[k], scale, m[k]) : v[k] * scale;
    if (!seen) v[k] = wt::minus_infinity();
  }
}

// A row without a finite element gives NaN, as in PyTorch.
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

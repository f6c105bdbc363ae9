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

// A vector of x and its mask as they lie in memory, which take fewer registers than logits. LIMITED: the limit, which
// is a whole number of vectors otherwise, may lie inside it.
template <int MASK, bool LIMITED, typename T, int VEC> struct Held {
  wt::Vec<T, VEC> x{};
  wt::Vec<MaskOf<MASK, T>, VEC> mask{};

  template <bool ALIGNED>
  __device__ __forceinline__ void load(const wt::Row<T, VEC, ALIGNED>& row, const T* matrix,
                                       const MaskOf<MASK, T>* masks, int limit, int i) {
    if (row.column(i) >= limit) return;
    x = row.load(matrix, i);
    if constexpr (MASK != kNoMask) mask = row.load_columns(masks, i);
  }
  // The elements after scale and mask; minus infinity where masked out, and outside the columns [0, limit). `column` is
  // that of the first element.
  __device__ __forceinline__ void logits(float scale, int column, int limit, float (&v)[VEC]) const {
    float m[VEC];
    wt::unpack<T, VEC>(x, v);
    if constexpr (MASK == kAdditive) wt::unpack<T, VEC>(mask, m);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      v[k] = MASK == kAdditive ? fmaf(v[k], scale, m[k]) : v[k] * scale;
      if (MASK == kBool && !mask.v[k]) v[k] = wt::minus_infinity();
      if (LIMITED && static_cast<u32>(column + k) >= static_cast<u32>(limit)) v[k] = wt::minus_infinity();
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

// The results of a vector that the row does not see.
template <bool LOG, typename T, int VEC> __device__ __forceinline__ wt::Vec<T, VEC> unseen(const wt::ExpSum& row) {
  const float logits[1] = {wt::minus_infinity()};
  const T result = softmax_of<LOG, T, 1>(logits, row).v[0];
  wt::Vec<T, VEC> all;
#pragma unroll
  for (int k = 0; k < VEC; ++k) all.v[k] = result;
  return all;
}

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

// Which row of x and of the mask a place in the grid's order has. The heads that share a matrix of the mask take turns
// at each of its rows: the L2 loses a matrix of the mask before the next head, but not a row.
struct Rows {
  i64 row, mask;
};
template <int MASK, bool ONE_ROW> __device__ __forceinline__ Rows rows_at(i64 place, int queries, int heads) {
  if constexpr (MASK == kNoMask) {
    return {place, 0};
  } else if constexpr (ONE_ROW) {
    return {place, place / (i64(queries) * heads)};
  } else {
    const i64 mask = place / heads, head = place - mask * heads, sample = mask / queries;
    return {mask + (sample * (heads - 1) + head) * queries, mask};
  }
}

// A thread's vectors of a row and of its mask as they lie in memory: the vectors i, i + step, ... that begin before the
// limit. LIMITED: the limit, which is a whole number of vectors otherwise, may lie inside one.
template <int MASK, bool LIMITED, int N, typename T, int VEC, bool ALIGNED> struct Loaded {
  using M = MaskOf<MASK, T>;
  wt::Vec<T, VEC> x[N];
  wt::Vec<M, VEC> mask[MASK == kNoMask ? 1 : N];

  Loaded() = default;
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

// Softmax of the N vectors of `held`, vector n with the columns from column(n) on. `merge` makes the ExpSum of a thread
// that of the row, and `store` stores the results of a vector.
template <bool LOG, int MASK, bool LIMITED, int N, typename T, int VEC, bool ALIGNED, typename Column, typename Merge,
          typename Store>
__device__ __forceinline__ void softmax_of_held(Loaded<MASK, LIMITED, N, T, VEC, ALIGNED>& held, float scale, int limit,
                                                const Column& column, const Merge& merge, const Store& store) {
  wt::ExpSum part;
  if constexpr (N * VEC <= 32 && !LOG) { // few enough to keep the exponentials, relative to this thread's maximum
    float v[N][VEC];
#pragma unroll
    for (int n = 0; n < N; ++n) {
      held.logits(n, scale, column(n), limit, v[n]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.max = fmaxf(part.max, v[n][k]);
    }
    const float offset = wt::exp_offset(part.max);
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.sum += v[n][k] = wt::exp_of(v[n][k], offset);
    const wt::ExpSum whole = merge(part);
    const float share = part.share_at(whole.max) / whole.sum;
#pragma unroll
    for (int n = 0; n < N; ++n) {
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[n][k] *= share;
      store(n, wt::pack<T, VEC>(v[n]));
    }
  } else {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      float v[VEC];
      held.logits(n, scale, column(n), limit, v);
      part.add(v);
    }
    wt::keep_packed(held.x);
    part = merge(part);
#pragma unroll
    for (int n = 0; n < N; ++n) {
      float v[VEC];
      held.logits(n, scale, column(n), limit, v);
      store(n, softmax_of<LOG, T, VEC>(v, part));
    }
  }
}

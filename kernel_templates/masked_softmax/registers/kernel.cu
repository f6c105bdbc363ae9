// Softmax of rows with scale and mask, with the row in registers: each thread holds its part of the row and of its
// mask, so that both are read once. Rows of any alignment.
#include "logits.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; ITERS is the number of vectors a thread holds.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL, int MASK,
          bool ONE_ROW>
__global__ void __launch_bounds__(TPR* RPB)
    masked_softmax(const T* __restrict__ x, const MaskOf<MASK, T>* __restrict__ mask, T* __restrict__ y, float scale,
                   i64 rows, int cols, int queries, int heads) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) <= 128,
                "more than 128 bytes of a row in a thread's registers spill");
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  __shared__ wt::RowExchange<wt::ExpSum, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  const int limit = live ? wt::causal_limit<CAUSAL>(place.row, queries, cols) : 0;
  const auto* masked = mask_row<MASK, ONE_ROW>(mask, live ? place.row : 0, queries, heads, cols);
  Loaded<MASK, !ALIGNED || CAUSAL != wt::kAll, ITERS, T, VEC, ALIGNED> held(row, x, masked, limit, place.first,
                                                                            place.kStep);
  const auto column = [&](int i) { return row.column(place.first + i * place.kStep); };
  wt::ExpSum part;
  if constexpr (ITERS * VEC <= 32 && !LOG) { // few enough to keep the exponentials, relative to this thread's maximum
    float v[ITERS][VEC];
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      held.logits(i, scale, column(i), limit, v[i]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.max = fmaxf(part.max, v[i][k]);
    }
    const float offset = wt::exp_offset(part.max);
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.sum += v[i][k] = wt::exp_of(v[i][k], offset);
    const wt::ExpSum whole = exchange.merge(part, place.rank, place.row_in_block);
    const float share = part.share_at(whole.max) / whole.sum;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[i][k] *= share;
      row.store(y, place.first + i * place.kStep, wt::pack<T, VEC>(v[i]));
    }
  } else {
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      float v[VEC];
      held.logits(i, scale, column(i), limit, v);
      part.add(v);
    }
    wt::keep_packed(held.x);
    part = exchange.merge(part, place.rank, place.row_in_block);
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      float v[VEC];
      held.logits(i, scale, column(i), limit, v);
      row.store(y, place.first + i * place.kStep, softmax_of<LOG, T, VEC>(v, part));
    }
  }
}

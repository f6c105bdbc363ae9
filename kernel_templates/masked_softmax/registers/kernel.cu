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
  Held<MASK, !ALIGNED || CAUSAL != wt::kAll, T, VEC> held[ITERS];
  wt::ExpSum part;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) held[i].load(row, x, masked, limit, place.first + i * place.kStep);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    const int column = row.column(place.first + i * place.kStep);
    if (column >= limit) continue;
    float v[VEC];
    held[i].logits(scale, column, limit, v);
    part.add(v);
    wt::keep_packed(held[i].x);
  }
  part = exchange.merge(part, place.rank, place.row_in_block);
  const wt::Vec<T, VEC> hidden = unseen<LOG, T, VEC>(part);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    const int at = place.first + i * place.kStep, column = row.column(at);
    float v[VEC];
    held[i].logits(scale, column, limit, v);
    row.store(y, at, column < limit ? softmax_of<LOG, T, VEC>(v, part) : hidden);
  }
}

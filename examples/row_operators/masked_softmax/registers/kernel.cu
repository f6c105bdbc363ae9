// Softmax of rows with scale and mask, with the row in registers: each thread holds its part after the mask, so that
// input and mask are read once. Rows of any alignment.
#include "logits.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; ITERS is the number of vectors a thread holds.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL, int MASK,
          bool ONE_ROW>
__global__ void __launch_bounds__(TPR* RPB)
    masked_softmax(const T* __restrict__ x, const MaskOf<MASK, T>* __restrict__ mask, T* __restrict__ y, float scale,
                   i64 rows, int cols, int queries, int heads) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC <= 64, "more than 64 elements of a row in a thread's registers spill");
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  __shared__ wt::RowExchange<wt::ExpSum, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  const int limit = live ? wt::causal_limit<CAUSAL>(place.row, queries, cols) : 0;
  const auto* masked = mask_row<MASK, ONE_ROW>(mask, live ? place.row : 0, queries, heads, cols);
  float held[ITERS][VEC];
  wt::ExpSum part;
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    load_logits<MASK>(row, x, masked, scale, limit, place.first + i * place.kStep, held[i]);
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
#pragma unroll
    for (int k = 0; k < VEC; ++k) part.max = fmaxf(part.max, held[i][k]);
  const float offset = wt::exp_offset(part.max);
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
#pragma unroll
    for (int k = 0; k < VEC; ++k) part.sum += wt::exp_of(held[i][k], offset);
  part = exchange.merge(part, place.rank, place.row_in_block);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) row.store(y, place.first + i * place.kStep, softmax_of<LOG, T, VEC>(held[i], part));
}

// Softmax of rows with scale and mask, with the row in registers: each thread holds its part of the row and of its
// mask, so that both are read once. Rows of any alignment.
#include "common/early.cuh"
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
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  __shared__ wt::RowExchange<wt::ExpSum, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows;
  const Rows rows_of = rows_at<MASK, ONE_ROW>(live ? place.row : 0, queries, heads);
  const wt::Row<T, VEC, ALIGNED> row(rows_of.row, live ? cols : 0);
  const int limit = live ? wt::causal_limit<CAUSAL>(rows_of.row, queries, cols) : 0;
  Loaded<MASK, !ALIGNED || CAUSAL != wt::kAll, ITERS, T, VEC, ALIGNED> held(row, x, mask + rows_of.mask * cols, limit,
                                                                            place.first, place.kStep);
  softmax_of_held<LOG>(
      held, scale, limit, [&](int i) { return row.column(place.first + i * place.kStep); },
      [&](const wt::ExpSum& part) { return exchange.merge(part, place.rank, place.row_in_block); },
      [&](int i, const wt::Vec<T, VEC>& value) { row.store(y, place.first + i * place.kStep, value); });
}

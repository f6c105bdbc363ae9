// Softmax of rows with scale and mask, with the row kept nowhere: an online maximum and sum, then the row and its mask
// are read again, from the L2 if they are still there. Rows of any length and alignment.
#include "common/early.cuh"
#include "logits.cuh"

// TPR threads of each of CLUSTER blocks work on a row; BATCH is the number of loads in flight a thread.
template <typename T, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL, int MASK,
          bool ONE_ROW>
__global__ void __launch_bounds__(TPR)
    masked_softmax(const T* __restrict__ x, const MaskOf<MASK, T>* __restrict__ mask, T* __restrict__ y, float scale,
                   i64 rows, int cols, int queries, int heads) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<wt::ExpSum, TPR, 1, CLUSTER> exchange;
  exchange.announce();
  const Rows rows_of = rows_at<MASK, ONE_ROW>(place.row, queries, heads);
  const wt::Row<T, VEC, ALIGNED> row(rows_of.row, cols);
  const int limit = wt::causal_limit<CAUSAL>(rows_of.row, queries, cols);
  const auto* masked = mask + rows_of.mask * cols;
  using Batch = Loaded<MASK, !ALIGNED || CAUSAL != wt::kAll, BATCH, T, VEC, ALIGNED>;
  wt::ExpSum part;
  for (int at = place.first; at < row.vectors && row.column(at) < limit; at += BATCH * kStep) {
    const Batch batch(row, x, masked, limit, at, kStep);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC];
      batch.logits(i, scale, row.column(at + i * kStep), limit, v);
      part.add(v);
    }
  }
  part = exchange.merge(part, place.rank, 0);
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    const Batch batch(row, x, masked, limit, at, kStep);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      float v[VEC];
      batch.logits(i, scale, row.column(at + i * kStep), limit, v);
      row.store(y, at + i * kStep, softmax_of<LOG, T, VEC>(v, part));
    }
  }
}

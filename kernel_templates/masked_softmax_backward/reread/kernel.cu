// The gradient of softmax with the rows kept nowhere: the sum, then y and dy are read again, from the L2 if they are
// still there. Rows of any length and alignment.
#include "common/early.cuh"
#include "gradient.cuh"

// TPR threads of each of CLUSTER blocks work on a row; BATCH is the number of pairs of loads in flight a thread.
template <typename T, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL>
__global__ void __launch_bounds__(TPR)
    masked_softmax_backward(const T* __restrict__ dy, const T* __restrict__ y, T* __restrict__ dx, float scale,
                            i64 rows, int cols, int queries) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<wt::Sums<1>, TPR, 1, CLUSTER> exchange;
  exchange.announce();
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  const int limit = wt::causal_limit<CAUSAL>(place.row, queries, cols);
  using Batch = Loaded<!ALIGNED || CAUSAL != wt::kAll, BATCH, T, VEC, ALIGNED>;
  wt::Sums<1> sum;
  for (int at = place.first; at < row.vectors && row.column(at) < limit; at += BATCH * kStep) {
    const Batch batch(row, y, dy, limit, at, kStep);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) sum.v[0] += batch.template term_sum<LOG>(i, row.column(at + i * kStep), limit);
  }
  sum = exchange.merge(sum, place.rank, 0);
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    const Batch batch(row, y, dy, limit, at, kStep);
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      row.store(dx, at + i * kStep,
                batch.template gradient<LOG>(i, sum.v[0], scale, row.column(at + i * kStep), limit));
  }
}

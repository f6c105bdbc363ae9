// The gradient of softmax with the rows kept nowhere: the sum, then y and dy are read again, from the L2 if they are
// still there. Rows of any length and alignment.
#include "gradient.cuh"

// TPR threads of each of CLUSTER blocks work on a row; BATCH is the number of pairs of loads in flight a thread.
template <typename T, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL>
__global__ void __launch_bounds__(TPR)
    masked_softmax_backward(const T* __restrict__ dy, const T* __restrict__ y, T* __restrict__ dx, float scale,
                            i64 rows, int cols, int queries) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<wt::Sums<1>, TPR, 1, CLUSTER> exchange;
  exchange.announce();
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  const int limit = wt::causal_limit<CAUSAL>(place.row, queries, cols);
  const auto each_batch = [&](int end, const auto& use) {
    for (int at = place.first; at < row.vectors && row.column(at) < end; at += BATCH * kStep) {
      wt::Vec<T, VEC> results[BATCH], gradients[BATCH];
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        results[i] = load_seen(row, y, limit, at + i * kStep);
        gradients[i] = load_seen(row, dy, limit, at + i * kStep);
      }
#pragma unroll
      for (int i = 0; i < BATCH; ++i) use(results[i], gradients[i], at + i * kStep);
    }
  };
  wt::Sums<1> sum;
  each_batch(limit,
             [&](const auto& result, const auto& gradient, int) { sum.v[0] += term_sum<LOG>(result, gradient); });
  sum = exchange.merge(sum, place.rank, 0);
  each_batch(cols, [&](const auto& result, const auto& gradient, int i) {
    store_gradient<LOG>(row, dx, result, gradient, sum.v[0], scale, limit, i);
  });
}

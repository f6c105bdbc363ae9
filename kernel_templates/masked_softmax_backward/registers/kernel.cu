// The gradient of softmax with the rows of y and dy in registers, so that each is read once. Rows of any alignment.
#include "common/early.cuh"
#include "gradient.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; ITERS is the number of vectors of each of y
// and dy that a thread holds.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool LOG, int CAUSAL>
__global__ void __launch_bounds__(TPR* RPB)
    masked_softmax_backward(const T* __restrict__ dy, const T* __restrict__ y, T* __restrict__ dx, float scale,
                            i64 rows, int cols, int queries) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) <= 128,
                "more than 128 bytes of a row in a thread's registers spill");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  __shared__ wt::RowExchange<wt::Sums<1>, TPR, RPB, CLUSTER> exchange;
  exchange.announce();
  const bool live = place.row < rows;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  const int limit = live ? wt::causal_limit<CAUSAL>(place.row, queries, cols) : 0;
  Loaded<!ALIGNED || CAUSAL != wt::kAll, ITERS, T, VEC, ALIGNED> held(row, y, dy, limit, place.first, place.kStep);
  const auto column = [&](int i) { return row.column(place.first + i * place.kStep); };
  wt::Sums<1> sum;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) sum.v[0] += held.template term_sum<LOG>(i, column(i), limit);
  wt::keep_packed(held.y);
  wt::keep_packed(held.dy);
  sum = exchange.merge(sum, place.rank, place.row_in_block);
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    row.store(dx, place.first + i * place.kStep, held.template gradient<LOG>(i, sum.v[0], scale, column(i), limit));
}

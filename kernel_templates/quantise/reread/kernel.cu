// Quantised rows with the row kept nowhere: its largest magnitude, then the row is read again, from the L2 if it is
// still there. Rows of any length and alignment.
#include "common/early.cuh"
#include "quantise.cuh"

// TPR threads of each of CLUSTER blocks work on a row; BATCH is the number of loads in flight a thread. GIVEN: `scale`
// is that of the whole tensor, and the row is read once.
template <typename T, typename Q, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool GIVEN>
__global__ void __launch_bounds__(TPR)
    quantise(const T* __restrict__ x, const float* __restrict__ scale, Q* __restrict__ y, float* __restrict__ scales,
             float least_scale, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<Largest, TPR, 1, CLUSTER> exchange;
  if constexpr (!GIVEN) exchange.announce();
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  const wt::Row<Q, VEC, ALIGNED> out(place.row, cols);
  const auto each_batch = [&](const auto& use) {
    for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
      wt::Vec<T, VEC> batch[BATCH];
      row.load_batch(x, at, kStep, batch, cols);
#pragma unroll
      for (int i = 0; i < BATCH; ++i) use(batch[i], at + i * kStep);
    }
  };
  float inverse;
  if constexpr (GIVEN) {
    inverse = 1 / *scale;
  } else {
    Largest part;
    each_batch([&](const wt::Vec<T, VEC>& vector, int) { part.add(vector); });
    const float own = scale_of<Q>(exchange.merge(part, place.rank, 0), least_scale);
    if (place.first == 0) scales[place.row] = own;
    inverse = 1 / own;
  }
  each_batch([&](const wt::Vec<T, VEC>& vector, int i) { store_quantised(out, vector, inverse, y, i); });
}

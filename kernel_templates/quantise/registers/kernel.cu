// Quantised rows with the row in registers: each thread holds its part, so that the row is read once and written once.
// Rows of any alignment.
#include "common/early_next.cuh"
#include "quantise.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; ITERS is the number of vectors that a thread
// holds. GIVEN: `scale` is that of the whole tensor.
template <typename T, typename Q, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool GIVEN>
__global__ void __launch_bounds__(TPR* RPB)
    quantise(const T* __restrict__ x, const float* __restrict__ scale, Q* __restrict__ y, float* __restrict__ scales,
             float least_scale, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) <= 128,
                "more than 128 bytes of a row in a thread's registers spill");
  wt::let_next_start();
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<Largest, TPR, RPB, CLUSTER> exchange;
  if constexpr (!GIVEN) exchange.announce();
  const bool live = place.row < rows;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  const wt::Row<Q, VEC, ALIGNED> out(live ? place.row : 0, live ? cols : 0);
  wt::Vec<T, VEC> held[ITERS];
  row.load_batch(x, place.first, kStep, held, row.cols);
  float inverse;
  if constexpr (GIVEN) {
    inverse = 1 / *scale;
  } else {
    Largest part;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) part.add(held[i]);
    wt::keep_packed(held);
    const float own = scale_of<Q>(exchange.merge(part, place.rank, place.row_in_block), least_scale);
    if (live && place.first == 0) scales[place.row] = own;
    inverse = 1 / own;
  }
#pragma unroll
  for (int i = 0; i < ITERS; ++i) store_quantised(out, held[i], inverse, y, place.first + i * kStep);
}

// Normalised and quantised rows with the row in registers, as floats: each thread holds its part, so that the row is
// read once and written once. Rows of any alignment.
#include "common/early.cuh"
#include "normalised.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; ITERS is the number of vectors that a thread
// holds.
template <typename T, typename Q, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool RMS,
          bool WEIGHT, bool BIAS, bool RESIDUAL>
__global__ void __launch_bounds__(TPR* RPB)
    row_norm_quantise(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
                      const T* __restrict__ bias, Q* __restrict__ y, float* __restrict__ scales, T* __restrict__ sum,
                      float eps, float least_scale, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC <= 32, "more than 32 elements of a row in a thread's registers spill");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  constexpr int kStep = place.kStep, kSums = RMS ? 1 : 2;
  __shared__ wt::RowExchange<wt::Sums<1>, TPR, RPB, CLUSTER> sums[kSums];
  __shared__ wt::RowExchange<Largest, TPR, RPB, CLUSTER> of_largest;
  sums[0].announce();
  const bool live = place.row < rows;
  const i64 own = live ? place.row : 0;
  const wt::Row<T, VEC, ALIGNED> row(own, live ? cols : 0);
  const wt::Row<Q, VEC, ALIGNED> out(own, live ? cols : 0);
  float v[ITERS][VEC];
  {
    wt::Vec<T, VEC> held[ITERS];
    row.load_batch(x, place.first, kStep, held, row.cols);
    if constexpr (RESIDUAL) add_residual(row, residual, sum, place.first, kStep, held);
#pragma unroll
    for (int i = 0; i < ITERS; ++i) wt::unpack<T, VEC>(held[i], v[i]);
  }
  float mean = 0;
  if constexpr (!RMS) {
    wt::Sums<1> part;
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.v[0] += v[i][k];
    mean = __fdividef(sums[0].merge(part, place.rank, place.row_in_block).v[0], cols);
    sums[1].announce();
  }
  wt::Sums<1> squares; // of the deviations from the mean
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float apart = RMS ? v[i][k] : row.holds(place.first + i * kStep, k) ? v[i][k] - mean : 0.0f;
      squares.v[0] = fmaf(apart, apart, squares.v[0]);
    }
  Statistics all = statistics_of(sums[kSums - 1].merge(squares, place.rank, place.row_in_block), cols, eps);
  of_largest.announce();
  all.mean = isnan(all.rstd) ? all.rstd : mean;
  Largest part;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    load_and_normalise<WEIGHT, BIAS>(row, all, weight, bias, place.first + i * kStep, v[i]);
    add_largest(part, v[i]);
  }
  const float scale = scale_of<Q>(of_largest.merge(part, place.rank, place.row_in_block), least_scale);
  if (live && place.first == 0) scales[place.row] = scale;
  const float inverse = 1 / scale;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) store_quantised(out, v[i], inverse, y, place.first + i * kStep);
}

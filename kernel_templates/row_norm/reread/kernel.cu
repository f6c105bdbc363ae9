// LayerNorm or RMSNorm of rows with the row kept nowhere: its statistics, then the row is read again, from the L2 if it
// is still there. Rows of any length and alignment.
#include "common/early.cuh"
#include "norm.cuh"

// TPR threads of each block work on a row; BATCH is the number of loads in flight a thread.
template <typename T, int TPR, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool RMS, bool WEIGHT, bool BIAS,
          bool RESIDUAL, bool STATS>
__global__ void __launch_bounds__(TPR)
    row_norm(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
             const T* __restrict__ bias, T* __restrict__ y, T* sum, float* __restrict__ mean, float* __restrict__ rstd,
             float eps, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, 1, CLUSTER> place;
  constexpr int kStep = place.kStep;
  __shared__ wt::RowExchange<Part<RMS>, TPR, 1, CLUSTER> exchange;
  exchange.announce();
  const wt::Row<T, VEC, ALIGNED> row(place.row, cols);
  Part<RMS> part;
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    wt::Vec<T, VEC> batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) batch[i] = load_input<RESIDUAL>(row, x, residual, sum, at + i * kStep);
    part.merge(part_of<RMS>(row, batch, at, kStep));
  }
  const Scale scale = scale_of(exchange.merge(part, place.rank, 0), cols, eps);
  if (place.first == 0) save<RMS, STATS>(scale, mean, rstd, place.row);
  const T* input = RESIDUAL ? sum : x; // each thread reads what it wrote itself
  for (int at = place.first; at < row.vectors; at += BATCH * kStep) {
    wt::Vec<T, VEC> batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) batch[i] = row.load(input, at + i * kStep);
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      store_normalised<WEIGHT, BIAS>(row, batch[i], scale, weight, bias, y, at + i * kStep);
  }
}

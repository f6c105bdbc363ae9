// LayerNorm or RMSNorm of rows with the row in registers: each thread holds its part, so that the row is read once and
// written once. Rows of any alignment.
#include "common/early.cuh"
#include "norm.cuh"

// Blocks of an SM that the register allocation must allow, where a thread holds BYTES: else loads of all weights before
// the first use would take the registers of a block, and its loads of x would not overlap another one's stores.
template <bool RMS, int THREADS, int BYTES>
constexpr int kBlocks = wt::ceil_div(RMS || BYTES <= 64 ? 1024 : 512, THREADS);

// TPR threads of each block work on a row, RPB rows a block; ITERS is the number of vectors that a thread holds. BEFORE:
// weights are loaded before the sums over the row.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool RMS, bool WEIGHT, bool BIAS,
          bool RESIDUAL, bool STATS, bool BEFORE>
__global__ void __launch_bounds__(TPR* RPB, kBlocks<RMS, TPR * RPB, ITERS * VEC * sizeof(T)>)
    row_norm(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
             const T* __restrict__ bias, T* __restrict__ y, T* __restrict__ sum, float* __restrict__ mean,
             float* __restrict__ rstd, float eps, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) <= 128,
                "more than 128 bytes of a row in a thread's registers spill");
  wt::wait_for_earlier_work();
  const wt::RowPlace<TPR, RPB, CLUSTER> place;
  constexpr int kStep = place.kStep;
  // A cluster exchanges once: that takes longer than merging moments.
  using Exchanged = wt::RowExchange<PartOfHeld<RMS, CLUSTER>, TPR, RPB, CLUSTER>;
  __shared__ Exchanged exchange[RMS || CLUSTER > 1 ? 1 : 2];
  exchange[0].announce();
  const bool live = place.row < rows;
  const wt::Row<T, VEC, ALIGNED> row(live ? place.row : 0, live ? cols : 0);
  wt::Vec<T, VEC> held[ITERS];
#pragma unroll
  for (int i = 0; i < ITERS; ++i) held[i] = load_input<RESIDUAL>(row, x, residual, sum, place.first + i * kStep);
  Columns<T, VEC, WEIGHT, BIAS> columns[BEFORE ? ITERS : 1];
  if constexpr (BEFORE)
#pragma unroll
    for (int i = 0; i < ITERS; ++i) columns[i].load_before(row, weight, bias, place.first + i * kStep);
  Scale scale;
  if constexpr (CLUSTER == 1) {
    int turn = 0;
    scale = scale_of_held<RMS>(row, held, place.first, kStep, cols, eps, [&](const wt::Sums<1>& sum) {
      return exchange[turn++].merge(sum, 0, place.row_in_block);
    });
  } else {
    const Part<RMS> part = part_of<RMS>(row, held, place.first, kStep);
    wt::keep_packed(held);
    scale = scale_of(exchange[0].merge(part, place.rank, place.row_in_block), cols, eps);
  }
  if (live && place.first == 0) save<RMS, STATS>(scale, mean, rstd, place.row);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    const int at = place.first + i * kStep;
    if constexpr (BEFORE)
      row.store(y, at, columns[i].normalise(held[i], scale));
    else
      store_normalised<WEIGHT, BIAS>(row, held[i], scale, weight, bias, y, at);
  }
}

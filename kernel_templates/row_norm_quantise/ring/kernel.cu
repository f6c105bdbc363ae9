// Normalised and quantised rows by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them,
// and weight and bias stay in registers. Rows of whole 16-byte vectors. sm_90.
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "normalised.cuh"

// TPR threads work on a row, RPB rows a block at a time; ITERS is the number of vectors that a thread holds.
// BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, typename Q, int TPR, int RPB, int VEC, int ITERS, int STAGES, int BLOCKS_PER_SM, bool RMS,
          bool WEIGHT, bool BIAS, bool RESIDUAL>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    row_norm_quantise(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
                      const T* __restrict__ bias, Q* __restrict__ y, float* __restrict__ scales, T* __restrict__ sum,
                      float eps, float least_scale, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(ITERS >= 1 && ITERS * VEC <= 32, "more than 32 elements of a row in a thread's registers spill");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  constexpr int kMatrices = RESIDUAL ? 2 : 1;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Sums = wt::RowExchange<wt::Sums<1>, TPR, RPB, 1>;
  // A barrier of the next exchange is between two uses of each.
  __shared__ Sums sums[RMS ? 1 : 2];
  __shared__ wt::RowExchange<Largest, TPR, RPB, 1> of_largest;
  const T* matrices[kMatrices];
  matrices[0] = x;
  if constexpr (RESIDUAL) matrices[1] = residual;
  wt::RowRing<T, kMatrices, RPB, STAGES> ring(matrices, rows, cols, slots, full);
  const wt::Row<T, VEC, true> columns(0, cols);
  V weights[ITERS], biases[ITERS];
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    if constexpr (WEIGHT) weights[i] = columns.load(weight, place.thread + i * TPR);
    if constexpr (BIAS) biases[i] = columns.load(bias, place.thread + i * TPR);
  }
  while (ring.more()) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows;
    const wt::Row<T, VEC, true> row(live ? at : 0, live ? cols : 0);
    const wt::Row<Q, VEC, true> out(live ? at : 0, live ? cols : 0);
    float v[ITERS][VEC];
    wt::Sums<1> part, squares;
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      V held{};
      if (vector < row.vectors) {
        held = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[vector];
        if constexpr (RESIDUAL) {
          held = add<T, VEC>(held, reinterpret_cast<const V*>(ring.row(1, place.row_in_block))[vector]);
          row.store(sum, vector, held);
        }
      }
      wt::unpack<T, VEC>(held, v[i]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) part.v[0] += v[i][k];
    }
    Statistics all{0.0f, 0.0f};
    if constexpr (!RMS) all.mean = __fdividef(sums[0].merge(part, 0, place.row_in_block).v[0], cols);
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        const float apart = RMS ? v[i][k] : row.holds(place.thread + i * TPR, k) ? v[i][k] - all.mean : 0.0f;
        squares.v[0] = fmaf(apart, apart, squares.v[0]);
      }
    squares = sums[RMS ? 0 : 1].merge(squares, 0, place.row_in_block);
    if constexpr (!Sums::kNeeded) __syncthreads();
    ring.release();
    all.rstd = statistics_of(squares, cols, eps).rstd;
    if (isnan(all.rstd)) all.mean = all.rstd;
    Largest largest;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      float w[VEC], b[VEC];
      if constexpr (WEIGHT) wt::unpack<T, VEC>(weights[i], w);
      if constexpr (BIAS) wt::unpack<T, VEC>(biases[i], b);
      normalise<WEIGHT, BIAS>(row, all, w, b, place.thread + i * TPR, v[i]);
      add_largest(largest, v[i]);
    }
    const float scale = scale_of<Q>(of_largest.merge(largest, 0, place.row_in_block), least_scale);
    if (live && place.thread == 0) scales[at] = scale;
    const float inverse = 1 / scale;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) store_quantised(out, v[i], inverse, y, place.thread + i * TPR);
    ring.advance();
  }
}

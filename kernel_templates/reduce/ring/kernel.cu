// Reductions over contiguous rows by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them.
// Rows of whole 16-byte vectors. sm_90.
#include "column_of.cuh"
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "part.cuh"

// TPR threads work on a row, RPB rows a block at a time; ITERS is the number of vectors of a thread. BLOCKS_PER_SM is
// the residency that the register allocation must allow.
template <typename T, typename R, int KIND, int TPR, int RPB, int VEC, int ITERS, int STAGES, int BLOCKS_PER_SM>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    reduce_ring(const T* __restrict__ x, R* __restrict__ y, float correction, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<Part<KIND>, TPR, RPB, 1>;
  __shared__ Exchange exchange[2];
  const T* const matrices[] = {x};
  wt::RowRing<T, 1, RPB, STAGES> ring(matrices, rows, cols, slots, full);
  for (int turn = 0; ring.more(); turn ^= 1) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows;
    const wt::Row<T, VEC, true> row(live ? at : 0, live ? cols : 0);
    const auto holds = [&](int i, int k) { return row.holds(place.thread + i * TPR, k); };
    float v[ITERS][VEC];
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      V value = outside_vector<KIND, T, VEC>();
      if (holds(i, 0)) value = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[place.thread + i * TPR];
      wt::unpack<T, VEC>(value, v[i]);
    }
    Part<KIND> part;
    part.begin(place.thread);
    if (KIND != kVariance || holds(ITERS - 1, 0))
      part.add(v, place.thread, TPR, HoldsAll{});
    else
      part.add(v, place.thread, TPR, holds);
    part = exchange[turn].merge(part, 0, place.row_in_block);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    if (live && place.thread == 0) {
      if constexpr (is_arg(KIND)) part.index = column_of(row, x, part.index, part.value);
      y[at] = result_of<KIND, R>(whole_of<KIND>(part, 0), cols, correction);
    }
    ring.advance();
  }
}

// Quantised rows by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them. Rows of whole
// 16-byte vectors. sm_90.
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "quantise.cuh"

// TPR threads work on a row, RPB rows a block at a time; ITERS is the number of vectors that a thread holds.
// BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, typename Q, int TPR, int RPB, int VEC, int ITERS, int STAGES, int BLOCKS_PER_SM>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    quantise(const T* __restrict__ x, Q* __restrict__ y, float* __restrict__ scales, float least_scale, i64 rows,
             int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<Largest, TPR, RPB, 1>;
  __shared__ Exchange exchange[2];
  const T* const matrices[] = {x};
  wt::RowRing<T, 1, RPB, STAGES> ring(matrices, rows, cols, slots, full);
  for (int turn = 0; ring.more(); turn ^= 1) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows;
    const wt::Row<Q, VEC, true> out(live ? at : 0, live ? cols : 0);
    V held[ITERS];
    Largest part;
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      held[i] = V{};
      if (vector < out.vectors) held[i] = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[vector];
      part.add(held[i]);
    }
    wt::keep_packed(held);
    const float scale = scale_of<Q>(exchange[turn].merge(part, 0, place.row_in_block), least_scale);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    if (live && place.thread == 0) scales[at] = scale;
    const float inverse = 1 / scale;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) store_quantised(out, held[i], inverse, y, place.thread + i * TPR);
    ring.advance();
  }
}

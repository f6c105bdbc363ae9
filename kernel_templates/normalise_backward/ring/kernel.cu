// Gradients of normalised contiguous rows by persistent blocks: bulk copies fill a ring of rows in shared memory ahead
// of them. Rows of whole 16-byte vectors. sm_90.
#include "common/early.cuh"
#include "common/mapped_ring.cuh"
#include "common/normalise.cuh"

// TPR threads work on a row, RPB rows a block at a time; ITERS is the number of vectors that a thread holds of each
// input. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int ORDER, int TPR, int RPB, int ITERS, int STAGES, int BLOCKS_PER_SM>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    normalise_backward_ring(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                            T* __restrict__ dx, float eps, i64 rows, int cols) {
  wt::wait_for_earlier_work();
  extern __shared__ __align__(128) u8 slots[];
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::map_row_ring<TPR, RPB, ITERS, STAGES>(rule, inputs, dx, rows, cols, slots);
}

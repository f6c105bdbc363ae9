// Gradients of normalised contiguous rows: several rows of a block, a row of a block, or of a cluster. Rows of any
// alignment.
#include "common/early.cuh"
#include "common/mapped_rows.cuh"
#include "common/normalise.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block; BATCH is the number of loads of each input in
// flight a thread. HELD: these are all of its loads, and the row is read once.
template <typename T, int ORDER, int TPR, int RPB, int VEC, int BATCH, int CLUSTER, bool ALIGNED, bool HELD>
__global__ void __launch_bounds__(TPR* RPB)
    normalise_backward_rows(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                            T* __restrict__ dx, float eps, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::map_rows<TPR, RPB, VEC, BATCH, CLUSTER, ALIGNED, HELD>(rule, inputs, dx, rows, cols);
}

// Gradients of normalised columns of matrices: a block has some neighbouring columns.
#include "common/early.cuh"
#include "common/mapped_columns.cuh"
#include "common/normalise.cuh"

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the rows; BATCH is the number of loads
// of each input in flight a thread. HELD: these are all of its loads, and the columns are read once.
template <typename T, int ORDER, int X, int Y, int VEC, int BATCH, bool HELD>
__global__ void __launch_bounds__(X* Y)
    normalise_backward_columns(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                               T* __restrict__ dx, float eps, int n, i64 inner, int tiles) {
  wt::wait_for_earlier_work();
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::map_columns<X, Y, VEC, BATCH, HELD>(rule, inputs, dx, n, inner, tiles);
}

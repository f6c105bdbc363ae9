// Normalised columns of matrices: a block has some neighbouring columns.
#include "common/early.cuh"
#include "common/mapped_columns.cuh"
#include "common/normalise.cuh"

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the rows; BATCH is the number of loads
// in flight a thread. HELD: these are all of its loads, and the columns are read once.
template <typename T, int ORDER, bool NORMS, int X, int Y, int VEC, int BATCH, bool HELD>
__global__ void __launch_bounds__(X* Y)
    normalise_columns(const T* __restrict__ x, T* __restrict__ y, float* __restrict__ norms, float eps, int n,
                      i64 inner, int tiles) {
  wt::wait_for_earlier_work();
  const wt::Normalise<ORDER, NORMS> rule{norms, eps};
  const T* const inputs[] = {x};
  wt::map_columns<X, Y, VEC, BATCH, HELD>(rule, inputs, y, n, inner, tiles);
}

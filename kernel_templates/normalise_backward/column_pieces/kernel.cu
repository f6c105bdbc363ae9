// Gradients of normalised columns of matrices, which several blocks share: the first launch adds up the pieces of the
// columns, and the second reads them again.
#include "common/early.cuh"
#include "common/mapped_columns.cuh"
#include "common/normalise.cuh"

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the rows; BATCH is the number of loads
// of each input in flight a thread.
template <typename T, int ORDER, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_backward_column_sums(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                                   typename wt::NormaliseGradient<ORDER>::Part* __restrict__ parts, float eps, i64 n,
                                   i64 inner, int length, int pieces, int tiles) {
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::sum_column_piece<X, Y, VEC, BATCH>(rule, inputs, parts, n, inner, length, pieces, tiles);
}

template <typename T, int ORDER, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_backward_column_pieces(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                                     T* __restrict__ dx, const typename wt::NormaliseGradient<ORDER>::Part* parts,
                                     float eps, i64 n, i64 inner, int length, int pieces, int tiles) {
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::map_column_piece<X, Y, VEC, BATCH, DEPENDENT>(rule, inputs, parts, dx, n, inner, length, pieces, tiles);
}

// Normalised columns of matrices, which several blocks share: the first launch adds up the pieces of the
// columns, and the second reads them again.
#include "common/early.cuh"
#include "common/mapped_columns.cuh"
#include "common/normalise.cuh"

// X threads cover X * VEC neighbouring columns, and Y of them take turns at the rows; BATCH is the number of loads
// in flight a thread.
template <typename T, int ORDER, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_column_sums(const T* __restrict__ x, wt::Magnitude<ORDER>* __restrict__ parts, float eps, i64 n,
                          i64 inner, int length, int pieces, int tiles) {
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  const wt::Normalise<ORDER, false> rule{nullptr, eps};
  const T* const inputs[] = {x};
  wt::sum_column_piece<X, Y, VEC, BATCH>(rule, inputs, parts, n, inner, length, pieces, tiles);
}

template <typename T, int ORDER, bool NORMS, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_column_pieces(const T* __restrict__ x, T* __restrict__ y, float* __restrict__ norms,
                            const wt::Magnitude<ORDER>* parts, float eps, i64 n, i64 inner, int length, int pieces,
                            int tiles) {
  const wt::Normalise<ORDER, NORMS> rule{norms, eps};
  const T* const inputs[] = {x};
  wt::map_column_piece<X, Y, VEC, BATCH, DEPENDENT>(rule, inputs, parts, y, n, inner, length, pieces, tiles);
}

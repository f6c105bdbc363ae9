// Gradients of normalised contiguous rows, which blocks of the whole device share: the first launch adds up the pieces
// of the rows, and the second reads them again. Rows of any length and alignment.
#include "common/early.cuh"
#include "common/mapped_rows.cuh"
#include "common/normalise.cuh"

// BATCH is the number of loads of each input in flight a thread.
template <typename T, int ORDER, int THREADS, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(THREADS)
    normalise_backward_sums(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                            typename wt::NormaliseGradient<ORDER>::Part* __restrict__ parts, float eps, i64 cols,
                            int length, int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::sum_piece<THREADS, VEC, BATCH, ALIGNED>(rule, inputs, parts, cols, length, pieces);
}

template <typename T, int ORDER, int THREADS, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(THREADS)
    normalise_backward_pieces(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ norms,
                              T* __restrict__ dx, const typename wt::NormaliseGradient<ORDER>::Part* parts, float eps,
                              i64 cols, int length, int pieces) {
  const wt::NormaliseGradient<ORDER> rule{norms, eps};
  const T* const inputs[] = {dy, x};
  wt::map_piece<THREADS, VEC, BATCH, ALIGNED, DEPENDENT>(rule, inputs, parts, dx, cols, length, pieces);
}

// Normalised contiguous rows, which blocks of the whole device share: the first launch adds up the pieces of the
// rows, and the second reads them again. Rows of any length and alignment.
#include "common/early.cuh"
#include "common/mapped_rows.cuh"
#include "common/normalise.cuh"

// BATCH is the number of loads in flight a thread.
template <typename T, int ORDER, int THREADS, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(THREADS)
    normalise_sums(const T* __restrict__ x, wt::Magnitude<ORDER>* __restrict__ parts, float eps, i64 cols, int length,
                   int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  const wt::Normalise<ORDER, false> rule{nullptr, eps};
  const T* const inputs[] = {x};
  wt::sum_piece<THREADS, VEC, BATCH, ALIGNED>(rule, inputs, parts, cols, length, pieces);
}

template <typename T, int ORDER, bool NORMS, int THREADS, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(THREADS)
    normalise_pieces(const T* __restrict__ x, T* __restrict__ y, float* __restrict__ norms,
                     const wt::Magnitude<ORDER>* parts, float eps, i64 cols, int length, int pieces) {
  const wt::Normalise<ORDER, NORMS> rule{norms, eps};
  const T* const inputs[] = {x};
  wt::map_piece<THREADS, VEC, BATCH, ALIGNED, DEPENDENT>(rule, inputs, parts, y, cols, length, pieces);
}

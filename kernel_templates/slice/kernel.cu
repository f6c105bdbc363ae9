// A slice of a dimension, copied to a tensor of its own, or from there into its place in a larger tensor.
#include "common/copy_rows.cuh"
#include "common/early.cuh"
#include "common/gather_rows.cuh"

// INTO: `to` is the larger tensor. STEPPED: elements of the slice are apart. GATHERED: whole vectors of y, from rows
// that begin at any address. All sizes in accesses; if GATHERED, in elements.
template <typename T, int VEC, bool INTO, bool STEPPED, bool GATHERED, bool WIDE, int UNROLL, int BLOCK, int STORES>
__global__ void __launch_bounds__(BLOCK) copy_slice(const T* __restrict__ x, T* __restrict__ to, i64 results, i64 run,
                                                    i64 pitch, i64 offset, i64 group, i64 step) {
  wt::wait_for_earlier_work();
  if constexpr (GATHERED) {
    using Index = typename wt::IndexOf<WIDE>::type;
    const auto all = static_cast<Index>(results), cols = static_cast<Index>(run);
    const T* const from = x + offset;
    wt::gather_tile<WIDE, UNROLL, BLOCK, STORES>(to, results, run, blockIdx.x, [&](Index row, Index column) {
      // Before the last row of the slice, as much may be read as it has.
      return wt::Piece<T, Index>{from + row * pitch + column, cols - column, (row + 1) * cols < all ? cols : 0};
    });
  } else {
    using V = wt::Vec<T, VEC>;
    wt::copy_tile<!INTO, STEPPED, WIDE, UNROLL, BLOCK, STORES>(reinterpret_cast<const V*>(x), reinterpret_cast<V*>(to),
                                                               results, wt::RowsApart{run, pitch, offset, group, step},
                                                               blockIdx.x);
  }
}

// The elements of a slice with a step that a vector of x has: pieces of RUN neighbours, the first of each STEP after
// FROM pieces.
template <int RUN, int STEP, int FROM> struct Pick {
  template <typename T, int N>
  __device__ __forceinline__ wt::Vec<T, N / STEP> operator()(const wt::Vec<T, N>& of) const {
    static_assert(N % (RUN * STEP) == 0 && FROM < STEP, "each vector has the same elements");
    wt::Vec<T, N / STEP> out;
#pragma unroll
    for (int k = 0; k < N / STEP; ++k) out.v[k] = of.v[(k / RUN * STEP + FROM) * RUN + k % RUN];
    return out;
  }
};

// Whole vectors of x are read. `vectors`: all that have results; run: of a row; pitch, offset: from row to row, and
// before the first. `extent`: elements of x, up to the last one of the slice.
template <typename T, int RUN, int STEP, int FROM, bool WIDE, int UNROLL, int BLOCK, int STORES>
__global__ void __launch_bounds__(BLOCK)
    pick_slice(const T* __restrict__ x, T* __restrict__ y, i64 vectors, i64 run, i64 pitch, i64 offset, i64 extent) {
  wt::wait_for_earlier_work();
  constexpr int N = 16 / sizeof(T), kPicked = N / STEP;
  // The last vector may reach beyond the end of x, so its elements are copied one by one.
  const i64 whole = vectors - 1;
  wt::copy_tile<true, false, WIDE, UNROLL, BLOCK, STORES>(
      reinterpret_cast<const wt::Vec<T, N>*>(x), reinterpret_cast<wt::Vec<T, kPicked>*>(y), whole,
      wt::RowsApart{run, pitch, offset, 1, 0}, blockIdx.x, Pick<RUN, STEP, FROM>{});
  if (const int k = threadIdx.x; blockIdx.x == 0 && k < kPicked) {
    const int pieces_left = kPicked / RUN - k / RUN; // with that of k
    y[whole * kPicked + k] = x[extent - RUN - (pieces_left - 1) * STEP * RUN + k % RUN];
  }
}

// A slice of a dimension, copied to a tensor of its own, or from there into its place in a larger tensor.
#include "common/copy_rows.cuh"
#include "common/gather_rows.cuh"

// INTO: `target` is the larger tensor. STEPPED: elements of the slice are apart. GATHERED: whole vectors of y, from
// rows that begin at any address.
template <typename T, int VEC, bool INTO, bool STEPPED, bool GATHERED, bool WIDE, int UNROLL, int BLOCK, int STORES>
__global__ void __launch_bounds__(BLOCK) copy_slice(const T* __restrict__ x, T* __restrict__ y, T* __restrict__ target,
                                                    i64 results, i64 run, i64 pitch, i64 offset, i64 group, i64 step) {
  if constexpr (GATHERED) {
    wt::gather_tile<WIDE, UNROLL, BLOCK, STORES>(y, results, run, blockIdx.x, [&](i64 row, i64 column) {
      return wt::Piece<T>{x + offset + row * pitch + column, run - column};
    });
  } else {
    using V = wt::Vec<T, VEC>;
    const wt::RowsApart apart{run / VEC, pitch / VEC, offset / VEC, group, step / VEC};
    wt::copy_tile<!INTO, STEPPED, WIDE, UNROLL, BLOCK, STORES>(
        reinterpret_cast<const V*>(x), reinterpret_cast<V*>(INTO ? target : y), results / VEC, apart, blockIdx.x);
  }
}

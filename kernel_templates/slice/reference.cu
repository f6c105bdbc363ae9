// The reference of slice: one thread an element.
#include "common/prelude.cuh"

template <typename T, bool INTO>
__global__ void slice_reference(const T* x, float* y, T* target, i64 outer, i64 n, i64 from, i64 count, i64 step,
                                i64 inner) {
  const i64 all = outer * count * inner, threads = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
    const i64 e = i % inner, j = i / inner % count, o = i / inner / count;
    const i64 at = (o * n + from + j * step) * inner + e;
    if (INTO)
      target[at] = x[i];
    else
      y[i] = wt::to_float(x[at]);
  }
}

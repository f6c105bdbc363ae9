// The reference of concat: one thread an element of y, the value as float (exact for every dtype here).
#include "common/prelude.cuh"

template <typename T>
__global__ void concat_reference(const T* x0, const T* x1, const T* x2, const T* x3, float* y, i64 outer, i64 run0,
                                 i64 run1, i64 run2, i64 run3) {
  const i64 row = run0 + run1 + run2 + run3, threads = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < outer * row; i += threads) {
    const i64 o = i / row, at = i % row;
    if (at < run0)
      y[i] = wt::to_float(x0[o * run0 + at]);
    else if (at < run0 + run1)
      y[i] = wt::to_float(x1[o * run1 + at - run0]);
    else if (at < run0 + run1 + run2)
      y[i] = wt::to_float(x2[o * run2 + at - run0 - run1]);
    else
      y[i] = wt::to_float(x3[o * run3 + at - run0 - run1 - run2]);
  }
}

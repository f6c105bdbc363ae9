// The oracle of transpose: one thread an element of y, the value as float (exact for every dtype here).
#include "common/prelude.cuh"

template <typename T> __global__ void transpose_reference(const T* x, float* y, i64 rows, i64 cols) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += stride)
    y[i] = wt::to_float(x[i % rows * cols + i / rows]);
}

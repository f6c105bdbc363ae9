// The reference of permute: one thread an element of y, the value as float (exact for every dtype here).
#include "common/prelude.cuh"

template <typename T> __global__ void permute_reference(const T* x, float* y, i64 batch, i64 rows, i64 cols, i64 run) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < batch * rows * cols * run; i += step) {
    const i64 e = i % run, r = i / run % rows, c = i / run / rows % cols, b = i / run / rows / cols;
    y[i] = wt::to_float(x[((b * rows + r) * cols + c) * run + e]);
  }
}

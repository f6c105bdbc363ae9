// The reference of dequantise, in double.
#include "common/prelude.cuh"

template <typename Q>
__global__ void dequantise_elements(const Q* x, const float* scales, double* y, i64 rows_of_scale, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step)
    y[i] = wt::to_double(x[i]) * double(scales[i / cols / rows_of_scale]);
}

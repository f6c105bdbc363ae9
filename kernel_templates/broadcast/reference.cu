// The reference of broadcast, in double: one thread an element.
#include "common/prelude.cuh"

// COMBINE: 0 multiplies, 1 adds. SOURCE: 0 the number, 1 a value for each column, 2 for each row, 3 for each column of
// each matrix.
template <typename T, int COMBINE, int SOURCE>
__global__ void broadcast_reference(const T* x, const T* values, double* y, float alpha, float number, i64 n, i64 rows,
                                    i64 cols) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const i64 row = i / cols, column = i % cols;
    const i64 at = SOURCE == 1 ? column : SOURCE == 2 ? row % rows : row / rows * cols + column;
    const double value = SOURCE ? wt::to_double(values[at]) : number, own = wt::to_double(x[i]);
    y[i] = COMBINE ? own + double(alpha) * value : own * value;
  }
}

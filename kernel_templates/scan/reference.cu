// The reference of scan, in double: one thread a row.
#include "common/prelude.cuh"

template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE>
__global__ void scan_reference(const T* x, float* y, i64 rows, i64 n) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    double all = PRODUCT ? 1 : 0;
    for (i64 i = 0; i < n; ++i) {
      const i64 at = row * n + (REVERSE ? n - 1 - i : i);
      const double before = all, value = wt::to_double(x[at]);
      all = PRODUCT ? all * value : all + value;
      y[at] = static_cast<float>(EXCLUSIVE ? before : all);
    }
  }
}

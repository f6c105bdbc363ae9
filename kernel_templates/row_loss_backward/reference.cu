// The reference of row_loss_backward, in double: one thread a row. Before it, its inputs, and the sums that the forward
// pass would have saved.
#include "common/row_losses_exact.cuh"

using namespace wt::exact;

template <typename T, int LOSS>
__global__ void save_sums(const T* x, const T* x2, const T* x3, float* sums, float eps, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    const RowSums own = sums_of<LOSS>(Rows<T>{x + row * cols, x2 + row * cols, x3 + row * cols, eps}, cols);
    for (int i = 0; i < 3; ++i) sums[3 * row + i] = static_cast<float>(own.v[i]);
  }
}

template <typename T, typename D, int LOSS, bool SUM>
__global__ void row_loss_backward_reference(const D* dloss, const T* x, const T* x2, const T* x3, const T* target,
                                            const float* sums, float* dx, float* dx2, float* dx3, float margin,
                                            float eps, float divisor, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    const Rows<T> own{x + row * cols, x2 + row * cols, x3 + row * cols, eps};
    const RowSums of_row =
        sums ? RowSums{{sums[3 * row], sums[3 * row + 1], sums[3 * row + 2]}} : sums_of<LOSS>(own, cols);
    const Measures measures = measures_of<LOSS>(of_row);
    const double g = wt::to_double(dloss[SUM ? 0 : row]) / divisor;
    for (int i = 0; i < cols; ++i) {
      double d[3];
      gradients_of<LOSS>(measures, own, i, target ? wt::to_double(target[row]) : 0, margin, g, d);
      dx[row * cols + i] = static_cast<float>(d[0]);
      dx2[row * cols + i] = static_cast<float>(d[1]);
      if (LOSS != kCosine) dx3[row * cols + i] = static_cast<float>(d[2]);
    }
  }
}

// The reference of row_loss, in double: one thread a row, then one for the sum. Before it, its inputs.
#include "common/row_losses_exact.cuh"

using namespace wt::exact;

// Stores the losses in y, or in `losses` if they are summed, and the sums of the rows, if there is a place for them.
template <typename T, int LOSS>
__global__ void row_loss_reference(const T* x, const T* x2, const T* x3, const T* target, float* y, double* sums,
                                   double* losses, float margin, float eps, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 row = i64(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    const Rows<T> own{x + row * cols, x2 + row * cols, x3 + row * cols, eps};
    const RowSums of_row = sums_of<LOSS>(own, cols);
    const double loss = value_of<LOSS>(measures_of<LOSS>(of_row), target ? wt::to_double(target[row]) : 0, margin);
    for (int i = 0; sums && i < 3; ++i) sums[3 * row + i] = of_row.v[i];
    if (losses)
      losses[row] = loss;
    else
      y[row] = static_cast<float>(loss);
  }
}

__global__ void add_reference(const double* losses, float* y, i64 rows, float divisor) {
  double sum = 0;
  for (i64 row = 0; row < rows; ++row) sum += losses[row];
  *y = static_cast<float>(sum / divisor);
}

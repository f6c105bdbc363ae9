// The reference of row_norm, in double: the rows' statistics first, one block a row, then one thread an element.
#include "common/reduce.cuh"

// What is normalised. The sum with a residual is rounded to T, as the operator stores it.
template <typename T, bool RESIDUAL> __device__ double input(const T* x, const T* residual, i64 i) {
  if constexpr (RESIDUAL) return wt::to_double(wt::from_float<T>(wt::to_float(x[i]) + wt::to_float(residual[i])));
  return wt::to_double(x[i]);
}

template <typename T, bool RMS, bool RESIDUAL>
__global__ void row_statistics(const T* x, const T* residual, double* stats, double* mean, double* rstd, float eps,
                               i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    double sum = 0, squares = 0;
    if constexpr (!RMS)
      for (int c = threadIdx.x; c < cols; c += 256) sum += input<T, RESIDUAL>(x, residual, row * cols + c);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / cols;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double apart = input<T, RESIDUAL>(x, residual, row * cols + c) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      stats[2 * row] = centre;
      stats[2 * row + 1] = 1 / sqrt(squares / cols + eps);
      if (mean) mean[row] = isnan(squares) ? squares : centre; // PyTorch's recurrence gives NaN for an infinity
      if (rstd) rstd[row] = stats[2 * row + 1];
    }
    __syncthreads(); // before scratch and centre serve the next row
  }
}

template <typename T, bool RESIDUAL>
__global__ void normalise_elements(const T* x, const T* residual, const T* weight, const T* bias, const double* stats,
                                   float* y, float* sum, i64 rows, int cols) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += stride) {
    const i64 row = i / cols, column = i % cols;
    double value = (input<T, RESIDUAL>(x, residual, i) - stats[2 * row]) * stats[2 * row + 1];
    if (weight) value *= wt::to_double(weight[column]);
    if (bias) value += wt::to_double(bias[column]);
    y[i] = static_cast<float>(value);
    if constexpr (RESIDUAL) sum[i] = static_cast<float>(wt::to_double(x[i]) + wt::to_double(residual[i]));
  }
}

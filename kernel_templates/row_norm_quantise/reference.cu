// The reference of row_norm_quantise, in double: a block for each row gives its statistics and the largest magnitude of
// its normalised elements, then one thread an element. Results are not rounded to the narrow type, so that the
// comparison accepts only the nearest number.
#include "common/reduce.cuh"

// What is normalised. The sum with a residual is rounded to T, as the operator stores it.
template <typename T, bool RESIDUAL> __device__ double input(const T* x, const T* residual, i64 i) {
  if constexpr (RESIDUAL) return wt::to_double(wt::from_float<T>(wt::to_float(x[i]) + wt::to_float(residual[i])));
  return wt::to_double(x[i]);
}

template <typename T, bool RESIDUAL>
__device__ double normalised(const T* x, const T* residual, const T* weight, const T* bias, const double* statistics,
                             i64 row, int column, int cols) {
  double value = (input<T, RESIDUAL>(x, residual, row * cols + column) - statistics[0]) * statistics[1];
  if (weight) value *= wt::to_double(weight[column]);
  if (bias) value += wt::to_double(bias[column]);
  return value;
}

template <typename T, bool RMS, bool RESIDUAL>
__global__ void row_statistics(const T* x, const T* residual, const T* weight, const T* bias, double* statistics,
                               double* scales, float eps, float largest, float least_scale, i64 rows, int cols) {
  __shared__ double scratch[256];
  __shared__ double own[2];
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    double sum = 0, squares = 0, magnitude = 0;
    if constexpr (!RMS)
      for (int c = threadIdx.x; c < cols; c += 256) sum += input<T, RESIDUAL>(x, residual, row * cols + c);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) own[0] = sum / cols;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double apart = input<T, RESIDUAL>(x, residual, row * cols + c) - own[0];
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) own[1] = 1 / sqrt(squares / cols + eps);
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double value = fabs(normalised<T, RESIDUAL>(x, residual, weight, bias, own, row, c, cols));
      if (!isnan(magnitude) && !(value <= magnitude)) magnitude = value;
    }
    scratch[threadIdx.x] = magnitude;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 1; i < 256; ++i)
        if (!isnan(magnitude) && !(scratch[i] <= magnitude)) magnitude = scratch[i];
      const double scale = magnitude / largest;
      scales[row] = scale < least_scale ? least_scale : scale;
      statistics[2 * row] = own[0];
      statistics[2 * row + 1] = own[1];
    }
    __syncthreads(); // before scratch and own serve the next row
  }
}

template <typename T, bool RESIDUAL, bool INTEGER>
__global__ void quantise_elements(const T* x, const T* residual, const T* weight, const T* bias,
                                  const double* statistics, const double* scales, float* y, float* sum, i64 rows,
                                  int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    const i64 row = i / cols;
    const double value = normalised<T, RESIDUAL>(x, residual, weight, bias, statistics + 2 * row, row,
                                                 static_cast<int>(i % cols), cols) /
                         scales[row];
    y[i] = INTEGER && isnan(value) ? 0.0f : static_cast<float>(value);
    if constexpr (RESIDUAL) sum[i] = static_cast<float>(wt::to_double(x[i]) + wt::to_double(residual[i]));
  }
}

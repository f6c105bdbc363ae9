// The reference of row_norm_backward, in double: dx one block a row, the sums over the rows one block 32 columns.
// Before it, the statistics that the forward pass would have saved.
#include "common/reduce.cuh"

template <typename T, bool RMS>
__global__ void save_statistics(const T* x, float* mean, float* rstd, float eps, i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    double sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += 256) sum += RMS ? 0.0 : wt::to_double(x[row * cols + c]);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / cols;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      const double apart = wt::to_double(x[row * cols + c]) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      if (mean) mean[row] = static_cast<float>(centre);
      rstd[row] = static_cast<float>(1 / sqrt(squares / cols + eps));
    }
    __syncthreads(); // before scratch and centre serve the next row
  }
}

// x^ of an element.
template <typename T> __device__ double normalised(const T* x, const float* mean, const float* rstd, i64 row, i64 i) {
  return (wt::to_double(x[i]) - (mean ? mean[row] : 0.0)) * rstd[row];
}

template <typename T>
__global__ void input_gradients(const T* dy, const T* x, const T* weight, const float* mean, const float* rstd,
                                const T* dsum, float* dx, i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double means[2];
  const auto g = [&](i64 row, int c) {
    return wt::to_double(dy[row * cols + c]) * (weight ? wt::to_double(weight[c]) : 1.0);
  };
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    double sums[2] = {};
    for (int c = threadIdx.x; c < cols; c += 256) {
      sums[0] += g(row, c) * normalised(x, mean, rstd, row, row * cols + c);
      sums[1] += mean ? g(row, c) : 0.0; // RMSNorm has no mean
    }
    for (int s = 0; s < 2; ++s) {
      const double sum = wt::block_sum<256>(sums[s], scratch);
      if (threadIdx.x == 0) means[s] = sum / cols;
      __syncthreads();
    }
    for (int c = threadIdx.x; c < cols; c += 256) {
      const i64 i = row * cols + c;
      const double value = rstd[row] * (g(row, c) - means[1] - normalised(x, mean, rstd, row, i) * means[0]);
      dx[i] = static_cast<float>(value + (dsum ? wt::to_double(dsum[i]) : 0.0));
    }
    __syncthreads(); // before means serves the next row
  }
}

template <typename T>
__global__ void column_sums(const T* dy, const T* x, const float* mean, const float* rstd, float* dweight, float* dbias,
                            i64 rows, int cols) {
  __shared__ double warps[2][8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
  double sums[2] = {};
  if (column < cols) {
    for (i64 row = warp; row < rows; row += 8) {
      const double g = wt::to_double(dy[row * cols + column]);
      sums[0] += g * normalised(x, mean, rstd, row, row * cols + column);
      sums[1] += g;
    }
  }
  for (int s = 0; s < 2; ++s) warps[s][warp][lane] = sums[s];
  __syncthreads();
  if (warp > 0 || column >= cols) return;
  for (int w = 1; w < 8; ++w) {
    sums[0] += warps[0][w][lane];
    sums[1] += warps[1][w][lane];
  }
  if (dweight) dweight[column] = static_cast<float>(sums[0]);
  if (dbias) dbias[column] = static_cast<float>(sums[1]);
}

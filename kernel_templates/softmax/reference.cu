// The oracle of softmax, in double: the rows' statistics first, one block a row, then one thread an element.
#include "common/reduce.cuh"

template <typename T> __global__ void row_statistics(const T* x, double* stats, i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_max;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    double max = wt::to_double(x[row * cols]);
    for (int c = threadIdx.x; c < cols; c += 256) max = fmax(max, wt::to_double(x[row * cols + c]));
    max = wt::warp_all_reduce<32>(max, wt::Max{});
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = max;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < 256 / 32; ++w) max = fmax(max, scratch[w]);
      row_max = max;
    }
    __syncthreads();
    double sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) sum += exp(wt::to_double(x[row * cols + c]) - row_max);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) {
      stats[2 * row] = row_max;
      stats[2 * row + 1] = sum;
    }
    __syncthreads(); // before scratch and row_max serve the next row
  }
}

template <typename T, bool LOG>
__global__ void softmax_elements(const T* x, const double* stats, float* y, i64 rows, int cols) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += stride) {
    const double max = stats[2 * (i / cols)], sum = stats[2 * (i / cols) + 1];
    const double centred = wt::to_double(x[i]) - max;
    y[i] = static_cast<float>(LOG ? centred - log(sum) : exp(centred) / sum);
  }
}

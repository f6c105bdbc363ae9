// The reference of cross_entropy, in double: one block a row.
#include "common/reduce.cuh"

template <typename T>
__global__ void cross_entropy_rows(const T* logits, const i64* target, double* loss, double* lse, float smoothing,
                                   i64 ignore_index, i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_max;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* x = logits + row * cols;
    double max = wt::to_double(x[0]), exponentials = 0, sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) max = fmax(max, wt::to_double(x[c]));
    max = wt::warp_all_reduce<32>(max, wt::Max{});
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = max;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < 256 / 32; ++w) max = fmax(max, scratch[w]);
      row_max = max;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256) {
      exponentials += row_max == -1.0 / 0.0 ? 0.0 : exp(wt::to_double(x[c]) - row_max);
      sum += wt::to_double(x[c]);
    }
    exponentials = wt::block_sum<256>(exponentials, scratch);
    __syncthreads(); // before scratch serves the second sum
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) {
      const double log_sum = row_max + log(exponentials);
      const double of_target = target[row] >= 0 && target[row] < cols ? wt::to_double(x[target[row]]) : nan("");
      const double value = (1 - double(smoothing)) * (log_sum - of_target);
      // Without smoothing, an infinite sum of the logits counts for nothing.
      const double smooth = smoothing > 0 ? double(smoothing) * (log_sum - sum / cols) : 0.0;
      loss[row] = target[row] == ignore_index ? 0.0 : value + smooth;
      lse[row] = log_sum;
    }
    __syncthreads(); // before scratch and row_max serve the next row
  }
}

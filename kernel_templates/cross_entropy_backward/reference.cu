// The reference of cross_entropy_backward, in double; before it, the logarithms of sums that the forward pass stores.
#include "common/reduce.cuh"

template <typename T> __global__ void save_log_sums(const T* logits, float* lse, i64 rows, int cols) {
  __shared__ double scratch[256 / 32];
  __shared__ double row_max;
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* x = logits + row * cols;
    double max = wt::to_double(x[0]), sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) max = fmax(max, wt::to_double(x[c]));
    max = wt::warp_all_reduce<32>(max, wt::Max{});
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = max;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < 256 / 32; ++w) max = fmax(max, scratch[w]);
      row_max = max;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += 256)
      sum += row_max == -1.0 / 0.0 ? 0.0 : exp(wt::to_double(x[c]) - row_max);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) lse[row] = static_cast<float>(row_max + log(sum));
    __syncthreads(); // before scratch and row_max serve the next row
  }
}

template <typename T>
__global__ void logit_gradients(const float* dloss, const T* logits, const i64* target, const float* lse,
                                float* dlogits, float smoothing, i64 ignore_index, i64 rows, int cols) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += stride) {
    const i64 row = i / cols;
    double value = exp(wt::to_double(logits[i]) - lse[row]) - double(smoothing) / cols;
    if (target[row] == i % cols) value -= 1 - double(smoothing);
    value = target[row] == ignore_index ? 0.0 : value * dloss[row];
    dlogits[i] = static_cast<float>(value);
  }
}

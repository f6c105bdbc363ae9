// The reference of group_norm, in double: one block a group for its statistics, then one thread an element.
#include "common/reduce.cuh"

// Element e of a group of `size` channels, in the tensor.
__device__ i64 group_element(i64 e, i64 group, bool channels_last, i64 channels, i64 pixels, i64 size) {
  const i64 image = group / (channels / size), first = group % (channels / size) * size;
  return channels_last ? (image * pixels + e / size) * channels + first + e % size
                       : (image * channels + first) * pixels + e;
}

// mean and rstd: in double for this reference, and as outputs.
template <typename T>
__global__ void group_statistics(const T* x, double* statistics, double* mean, double* rstd, float eps,
                                 int channels_last, i64 groups, i64 channels, i64 pixels, i64 size) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  const i64 count = size * pixels;
  for (i64 g = blockIdx.x; g < groups; g += gridDim.x) {
    double sum = 0, squares = 0;
    for (i64 e = threadIdx.x; e < count; e += 256)
      sum += wt::to_double(x[group_element(e, g, channels_last, channels, pixels, size)]);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / count + (sum - sum); // of an infinity: NaN
    __syncthreads();
    for (i64 e = threadIdx.x; e < count; e += 256) {
      const double apart = wt::to_double(x[group_element(e, g, channels_last, channels, pixels, size)]) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      statistics[2 * g] = mean[g] = centre;
      statistics[2 * g + 1] = rstd[g] = 1 / sqrt(squares / count + eps);
    }
    __syncthreads(); // before scratch and centre serve the next group
  }
}

template <typename T>
__global__ void normalise_elements(const T* x, const T* weight, const T* bias, const double* statistics, float* y,
                                   int channels_last, i64 elements, i64 channels, i64 pixels, i64 size) {
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += i64(gridDim.x) * blockDim.x) {
    const i64 c = channels_last ? i % channels : i / pixels % channels;
    const i64 group = i / (channels * pixels) * (channels / size) + c / size;
    y[i] = static_cast<float>((wt::to_double(x[i]) - statistics[2 * group]) * statistics[2 * group + 1] *
                                  wt::to_double(weight[c]) +
                              wt::to_double(bias[c]));
  }
}

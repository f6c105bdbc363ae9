// The reference of batch_norm, in double: one block a channel for its statistics, then one thread an element.
#include "common/reduce.cuh"

__device__ i64 channel_element(i64 e, i64 channel, bool channels_last, i64 channels, i64 pixels) {
  return channels_last ? e * channels + channel : (e / pixels * channels + channel) * pixels + e % pixels;
}

// statistics: mean and 1 / deviation of each channel.
template <typename T>
__global__ void channel_statistics(const T* x, double* statistics, double* mean, double* rstd, float* running_mean,
                                   float* running_variance, float eps, float momentum, int channels_last, i64 images,
                                   i64 channels, i64 pixels) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  const i64 count = images * pixels;
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    double sum = 0, squares = 0;
    for (i64 e = threadIdx.x; e < count; e += 256)
      sum += wt::to_double(x[channel_element(e, c, channels_last, channels, pixels)]);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / count + (sum - sum); // of an infinity: NaN
    __syncthreads();
    for (i64 e = threadIdx.x; e < count; e += 256) {
      const double apart = wt::to_double(x[channel_element(e, c, channels_last, channels, pixels)]) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      statistics[2 * c] = mean[c] = centre;
      statistics[2 * c + 1] = rstd[c] = 1 / sqrt(squares / count + eps);
      running_mean[c] = static_cast<float>((1.0 - momentum) * running_mean[c] + momentum * centre);
      running_variance[c] =
          static_cast<float>((1.0 - momentum) * running_variance[c] + momentum * squares / (count - 1));
    }
    __syncthreads(); // before scratch and centre serve the next channel
  }
}

// Without statistics: by the mean and the variance that are given.
template <typename T>
__global__ void normalise_elements(const T* x, const T* residual, const float* weight, const float* bias,
                                   const double* statistics, const float* mean, const float* variance, float* y,
                                   float eps, int relu, int channels_last, i64 elements, i64 channels, i64 pixels) {
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += i64(gridDim.x) * blockDim.x) {
    const i64 c = channels_last ? i % channels : i / pixels % channels;
    const double centre = statistics ? statistics[2 * c] : mean[c];
    const double rstd = statistics ? statistics[2 * c + 1] : 1 / sqrt(static_cast<double>(variance[c]) + eps);
    const double value =
        (wt::to_double(x[i]) - centre) * rstd * weight[c] + bias[c] + (residual ? wt::to_double(residual[i]) : 0.0);
    y[i] = static_cast<float>(relu && value < 0 ? 0 : value);
  }
}

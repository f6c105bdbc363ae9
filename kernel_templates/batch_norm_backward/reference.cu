// The reference of batch_norm_backward, in double: one block a channel for its sums, then one thread an element. Before
// it, the statistics that the forward pass would have saved.
#include "common/reduce.cuh"

__device__ i64 channel_element(i64 e, i64 channel, bool channels_last, i64 channels, i64 pixels) {
  return channels_last ? e * channels + channel : (e / pixels * channels + channel) * pixels + e % pixels;
}

template <typename T>
__global__ void save_statistics(const T* x, float* mean, float* rstd, float eps, int channels_last, i64 images,
                                i64 channels, i64 pixels) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  const i64 count = images * pixels;
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    double sum = 0, squares = 0;
    for (i64 e = threadIdx.x; e < count; e += 256)
      sum += wt::to_double(x[channel_element(e, c, channels_last, channels, pixels)]);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / count;
    __syncthreads();
    for (i64 e = threadIdx.x; e < count; e += 256) {
      const double apart = wt::to_double(x[channel_element(e, c, channels_last, channels, pixels)]) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      mean[c] = static_cast<float>(centre);
      rstd[c] = static_cast<float>(1 / sqrt(squares / count + eps));
    }
    __syncthreads(); // before scratch and centre serve the next channel
  }
}

// dy, or 0 where relu cut. After 0: nothing, 1: relu, whose argument is computed as in batch_norm, so that both see the
// same sign; 2: an addition and relu, whose result is y.
template <typename T>
__device__ double gradient(const T* dy, const T* x, const T* y, const float* weight, const float* bias,
                           const float* mean, const float* rstd, int after, i64 i, i64 c) {
  float result = 1;
  if (after == 1) result = fmaf(wt::to_float(x[i]) - mean[c], rstd[c] * weight[c], bias[c]);
  if (after == 2) result = wt::to_float(y[i]);
  return result <= 0 ? 0 : wt::to_double(dy[i]);
}

// sums: of g and of g * x^ for each channel.
template <typename T>
__global__ void channel_sums(const T* dy, const T* x, const T* y, const float* weight, const float* bias,
                             const float* mean, const float* rstd, double* sums, double* dweight, double* dbias,
                             int after, int channels_last, i64 images, i64 channels, i64 pixels) {
  __shared__ double scratch[256 / 32];
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    double all[2] = {};
    for (i64 e = threadIdx.x; e < images * pixels; e += 256) {
      const i64 i = channel_element(e, c, channels_last, channels, pixels);
      const double g = gradient(dy, x, y, weight, bias, mean, rstd, after, i, c);
      all[0] += g;
      all[1] += g * (wt::to_double(x[i]) - mean[c]) * rstd[c];
    }
    for (int s = 0; s < 2; ++s) {
      const double sum = wt::block_sum<256>(all[s], scratch);
      if (threadIdx.x == 0) sums[2 * c + s] = (s == 0 ? dbias : dweight)[c] = sum;
      __syncthreads(); // before scratch serves the next sum
    }
  }
}

template <typename T>
__global__ void input_gradients(const T* dy, const T* x, const T* y, const float* weight, const float* bias,
                                const float* mean, const float* rstd, const double* sums, float* dx, float* dresidual,
                                int after, int channels_last, i64 images, i64 channels, i64 pixels) {
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < images * channels * pixels;
       i += i64(gridDim.x) * blockDim.x) {
    const i64 c = channels_last ? i % channels : i / pixels % channels;
    const double g = gradient(dy, x, y, weight, bias, mean, rstd, after, i, c),
                 count = static_cast<double>(images) * pixels;
    const double normalised = (wt::to_double(x[i]) - mean[c]) * rstd[c];
    dx[i] = static_cast<float>(weight[c] * rstd[c] * (g - sums[2 * c] / count - normalised * sums[2 * c + 1] / count));
    if (dresidual) dresidual[i] = static_cast<float>(g);
  }
}

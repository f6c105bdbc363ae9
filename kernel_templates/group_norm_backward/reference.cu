// The reference of group_norm_backward, in double: one block a group for its means, one thread an element of dx, and
// one block a channel for its sums. Before it, the statistics that the forward pass would have saved.
#include "common/reduce.cuh"

// Element e of a group of `size` channels, in the tensor; for one channel: of its planes, with size 1.
__device__ i64 group_element(i64 e, i64 group, bool channels_last, i64 channels, i64 pixels, i64 size) {
  const i64 image = group / (channels / size), first = group % (channels / size) * size;
  return channels_last ? (image * pixels + e / size) * channels + first + e % size
                       : (image * channels + first) * pixels + e;
}

template <typename T>
__global__ void save_statistics(const T* x, float* mean, float* rstd, float eps, int channels_last, i64 groups,
                                i64 channels, i64 pixels, i64 size) {
  __shared__ double scratch[256 / 32];
  __shared__ double centre;
  const i64 count = size * pixels;
  for (i64 g = blockIdx.x; g < groups; g += gridDim.x) {
    double sum = 0, squares = 0;
    for (i64 e = threadIdx.x; e < count; e += 256)
      sum += wt::to_double(x[group_element(e, g, channels_last, channels, pixels, size)]);
    sum = wt::block_sum<256>(sum, scratch);
    if (threadIdx.x == 0) centre = sum / count;
    __syncthreads();
    for (i64 e = threadIdx.x; e < count; e += 256) {
      const double apart = wt::to_double(x[group_element(e, g, channels_last, channels, pixels, size)]) - centre;
      squares += apart * apart;
    }
    squares = wt::block_sum<256>(squares, scratch);
    if (threadIdx.x == 0) {
      mean[g] = static_cast<float>(centre);
      rstd[g] = static_cast<float>(1 / sqrt(squares / count + eps));
    }
    __syncthreads(); // before scratch and centre serve the next group
  }
}

// means: of g and of g * x^ for each group.
template <typename T>
__global__ void group_means(const T* dy, const T* x, const T* weight, const float* mean, const float* rstd,
                            double* means, int channels_last, i64 groups, i64 channels, i64 pixels, i64 size) {
  __shared__ double scratch[256 / 32];
  for (i64 group = blockIdx.x; group < groups; group += gridDim.x) {
    double all[2] = {};
    for (i64 e = threadIdx.x; e < size * pixels; e += 256) {
      const i64 i = group_element(e, group, channels_last, channels, pixels, size);
      const i64 c = channels_last ? i % channels : i / pixels % channels;
      const double g = wt::to_double(dy[i]) * wt::to_double(weight[c]);
      all[0] += g;
      all[1] += g * (wt::to_double(x[i]) - mean[group]) * rstd[group];
    }
    for (int s = 0; s < 2; ++s) {
      const double sum = wt::block_sum<256>(all[s], scratch);
      if (threadIdx.x == 0) means[2 * group + s] = sum / static_cast<double>(size * pixels);
      __syncthreads(); // before scratch serves the next sum
    }
  }
}

template <typename T>
__global__ void input_gradients(const T* dy, const T* x, const T* weight, const float* mean, const float* rstd,
                                const double* means, float* dx, int channels_last, i64 elements, i64 channels,
                                i64 pixels, i64 size) {
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += i64(gridDim.x) * blockDim.x) {
    const i64 c = channels_last ? i % channels : i / pixels % channels;
    const i64 group = i / (channels * pixels) * (channels / size) + c / size;
    const double g = wt::to_double(dy[i]) * wt::to_double(weight[c]);
    const double normalised = (wt::to_double(x[i]) - mean[group]) * rstd[group];
    dx[i] = static_cast<float>(rstd[group] * (g - means[2 * group] - normalised * means[2 * group + 1]));
  }
}

template <typename T>
__global__ void channel_sums(const T* dy, const T* x, const float* mean, const float* rstd, float* dweight,
                             float* dbias, int channels_last, i64 images, i64 channels, i64 pixels, i64 size) {
  __shared__ double scratch[256 / 32];
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    double all[2] = {};
    for (i64 e = threadIdx.x; e < images * pixels; e += 256) {
      const i64 plane = e / pixels * channels + c,
                i = group_element(e % pixels, plane, channels_last, channels, pixels, 1);
      all[0] += wt::to_double(dy[i]);
      all[1] += wt::to_double(dy[i]) * (wt::to_double(x[i]) - mean[plane / size]) * rstd[plane / size];
    }
    for (int s = 0; s < 2; ++s) {
      const double sum = wt::block_sum<256>(all[s], scratch);
      if (threadIdx.x == 0) (s == 0 ? dbias : dweight)[c] = static_cast<float>(sum);
      __syncthreads(); // before scratch serves the next sum
    }
  }
}

// What the implementations of batch_norm share: the normalisation of an element, and the statistics of a channel from
// its parts.
#pragma once

#include "common/channels.cuh"

struct Coefficients {
  float mean, scale, bias;

  // batch_norm_backward computes the same sign.
  __device__ __forceinline__ float normalise(float x) const { return fmaf(x - mean, scale, bias); }
};

// TRAINING: `spread` is 1 / deviation, else the variance.
template <bool TRAINING> struct Channels {
  const float *mean, *spread, *weight, *bias;
  float eps;

  __device__ __forceinline__ Coefficients of(int channel) const {
    const float rstd = TRAINING ? spread[channel] : rsqrtf(spread[channel] + eps);
    return {mean[channel], rstd * weight[channel], bias[channel]};
  }
};

// NaN stays NaN.
template <bool RELU> __device__ __forceinline__ float activate(float v) { return RELU && v < 0 ? 0.0f : v; }

struct Statistics {
  float mean, rstd;
};
// With an infinity the mean is NaN too, in whatever order parts were merged.
__device__ __forceinline__ Statistics statistics_of(const wt::Moments& all, float eps) {
  return {isnan(all.squares) ? all.squares : all.mean, 1.0f / sqrtf(all.squares / all.count + eps)};
}

__device__ __forceinline__ void save_statistics(const wt::Moments& all, const Statistics& own, int channel,
                                                float momentum, float* mean, float* rstd, float* running_mean,
                                                float* running_variance) {
  mean[channel] = own.mean;
  rstd[channel] = own.rstd;
  const float old_mean = running_mean[channel], old_variance = running_variance[channel];
  running_mean[channel] = fmaf(momentum, own.mean, (1 - momentum) * old_mean);
  running_variance[channel] = fmaf(momentum, all.squares / (all.count - 1), (1 - momentum) * old_variance);
}

// The second launch of training: 8 channels a block of 256 threads.
template <bool DEPENDENT>
__global__ void __launch_bounds__(256)
    finish_moments(const wt::Moments* parts, float* mean, float* rstd, float* running_mean, float* running_variance,
                   float eps, float momentum, int count, int channels) {
  if constexpr (DEPENDENT) {
    wt::launch_dependents();
    wt::wait_for_predecessor();
  }
  const int channel = blockIdx.x * 8 + threadIdx.x % 8;
  const wt::Moments all = wt::merge_channel_parts(parts + channel, channel < channels ? count : 0, channels);
  if (threadIdx.x >= 8 || channel >= channels) return;
  save_statistics(all, statistics_of(all, eps), channel, momentum, mean, rstd, running_mean, running_variance);
}

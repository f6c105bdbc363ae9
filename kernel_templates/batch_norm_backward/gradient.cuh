// What the implementations of batch_norm_backward share. With g = dy, or 0 where relu cut, and x^ = (x - mean) * rstd:
//   dx = weight * rstd * (g - mean of g - x^ * mean of g * x^), dweight = sum of g * x^, dbias = sum of g.
#pragma once

#include "common/channels.cuh"

enum After : int { kNothing, kRelu, kAddRelu }; // what followed the normalisation

struct Coefficients {
  float mean, scale, bias;             // as in batch_norm
  float mean_of_g = 0, mean_of_gx = 0; // the latter times rstd, for x - mean in place of x^

  // Of an element; y is the result of the forward pass after an addition, and is otherwise computed again.
  template <int AFTER> __device__ __forceinline__ float gradient(float dy, float x, float y) const {
    if constexpr (AFTER == kNothing) return dy;
    const float result = AFTER == kAddRelu ? y : fmaf(x - mean, scale, bias);
    return result <= 0 ? 0.0f : dy; // NaN lets dy pass, as in PyTorch
  }
  __device__ __forceinline__ float input_gradient(float g, float x) const {
    return scale * (g - mean_of_g - (x - mean) * mean_of_gx);
  }
};

struct Channels {
  const float *weight, *bias, *mean, *rstd;

  template <int AFTER> __device__ __forceinline__ Coefficients of(int c) const {
    return {mean[c], rstd[c] * weight[c], AFTER == kRelu ? bias[c] : 0.0f};
  }
  // With the sums over the channel; `share` is 1 / its elements.
  template <int AFTER>
  __device__ __forceinline__ Coefficients of(int c, const float* dweight, const float* dbias, float share) const {
    Coefficients own = of<AFTER>(c);
    own.mean_of_g = dbias[c] * share;
    own.mean_of_gx = dweight[c] * share * rstd[c];
    return own;
  }
};

template <typename T, int AFTER, int VEC> struct Loaded {
  wt::Vec<T, VEC> dy, x, y;

  // LAST: nothing reads dy and y again.
  template <bool LAST = false> __device__ __forceinline__ void load(const T* dy_at, const T* x_at, const T* y_at) {
    using V = wt::Vec<T, VEC>;
    constexpr int kHint = LAST ? wt::kStreaming : wt::kDefault;
    dy = wt::load<kHint, V>(dy_at);
    x = wt::load<wt::kDefault, V>(x_at);
    if constexpr (AFTER == kAddRelu) y = wt::load<kHint, V>(y_at);
  }
  __device__ __forceinline__ void unpack(float (&g)[VEC], float (&input)[VEC], float (&result)[VEC]) const {
    wt::unpack<T, VEC>(dy, g);
    wt::unpack<T, VEC>(x, input);
    if constexpr (AFTER == kAddRelu) wt::unpack<T, VEC>(y, result);
  }
};

// The sums of g and of g * (x - mean).
struct alignas(8) Both : wt::Sums<2> {
  __device__ __forceinline__ void add(float g, float apart) {
    v[0] += g;
    v[1] = fmaf(g, apart, v[1]);
  }
};

// The second launch: 8 channels a block of 256 threads.
template <bool DEPENDENT>
__global__ void __launch_bounds__(256)
    finish_sums(const Both* parts, const float* rstd, float* dweight, float* dbias, int count, int channels) {
  if constexpr (DEPENDENT) {
    wt::launch_dependents();
    wt::wait_for_predecessor();
  }
  const int channel = blockIdx.x * 8 + threadIdx.x % 8;
  const Both all = wt::merge_channel_parts(parts + channel, channel < channels ? count : 0, channels);
  if (threadIdx.x >= 8 || channel >= channels) return;
  dweight[channel] = all.v[1] * rstd[channel];
  dbias[channel] = all.v[0];
}

// What the implementations of group_norm_backward share. With g = dy * weight, x^ = (x - mean) * rstd, and means over a
// group of an image:
//   dx = rstd * (g - mean of g - x^ * mean of g * x^), dweight = sum of dy * x^ over images and pixels, dbias = sum of
//   dy.
// A plane is a channel of an image: plane = image * channels + channel.
#pragma once

#include "common/channels.cuh"

// The sums of dy and of dy * (x - mean), or of dy * x^.
struct alignas(8) Both : wt::Sums<2> {
  __device__ __forceinline__ void add(float dy, float apart) {
    v[0] += dy;
    v[1] = fmaf(dy, apart, v[1]);
  }
};

// Of an element: dx = scale * dy - shift - (x - mean) * slope.
struct Coefficients {
  float mean, scale, shift, slope;

  __device__ __forceinline__ float gradient(float dy, float x) const {
    return fmaf(scale, dy, -fmaf(x - mean, slope, shift));
  }
};

// Adds a vector of dy and the same of x to the sums of its channels. Each of the centres belongs to the same number of
// neighbouring channels.
template <typename T, int VEC, int CENTRES>
__device__ __forceinline__ void add_vectors(const wt::Vec<T, VEC> (&dy_and_x)[2], const float (&centre)[CENTRES],
                                            float (&sums)[2][VEC]) {
  float gradient[VEC], input[VEC];
  wt::unpack<T, VEC>(dy_and_x[0], gradient);
  wt::unpack<T, VEC>(dy_and_x[1], input);
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    sums[0][k] += gradient[k];
    sums[1][k] = fmaf(gradient[k], input[k] - centre[k * CENTRES / VEC], sums[1][k]);
  }
}

// Groups of `size` neighbouring channels.
template <typename T> struct Groups {
  const float *mean, *rstd; // of each group of each image
  const T* weight;
  const float2* means; // of g and of g * x^
  int size;

  __device__ __forceinline__ float mean_of(i64 plane) const { return mean[plane / size]; }
  __device__ __forceinline__ Coefficients of(i64 plane, int channel) const {
    const i64 group = plane / size;
    const float own = rstd[group];
    const float2 both = means[group];
    return {mean[group], own * wt::to_float(weight[channel]), own * both.x, own * own * both.y};
  }
};

// The second launch: a block of 256 threads has groups of WARPS warps each, which take turns at the channels of their
// group. The parts of a channel, at parts[(image * count + part) * channels + channel], become its whole, with x^.
template <typename T, int WARPS, bool DEPENDENT>
__global__ void __launch_bounds__(256)
    finish_planes(const Both* parts, const T* weight, const float* rstd, Both* wholes, float2* means, i64 groups,
                  int count, int channels, int size, float share) {
  const wt::RowPlace<32 * WARPS, 8 / WARPS, 1> place;
  __shared__ wt::RowExchange<Both, 32 * WARPS, 8 / WARPS, 1> exchange;
  if constexpr (DEPENDENT) {
    wt::launch_dependents();
    wt::wait_for_predecessor();
  }
  const bool live = place.row < groups;
  const int in_image = channels / size, lane = threadIdx.x % 32; // groups
  const i64 image = place.row / in_image;
  const int first = static_cast<int>(place.row % in_image) * size;
  Both group;
  for (int turn = 0; turn < size; turn += WARPS) { // all lanes of a warp
    const int channel = first + turn + place.thread / 32;
    const bool exists = live && channel < first + size;
    Both all;
#pragma unroll 4
    for (int part = lane; part < (exists ? count : 0); part += 32)
      all.merge(parts[(image * count + part) * channels + channel]);
    all = wt::merge_lanes<32>(all);
    if (!exists || lane != 0) continue;
    all.v[1] *= rstd[place.row];
    wholes[image * channels + channel] = all;
#pragma unroll
    for (int s = 0; s < 2; ++s) group.v[s] = fmaf(wt::to_float(weight[channel]), all.v[s], group.v[s]);
  }
  group = exchange.merge(group, 0, place.row_in_block);
  if (live && place.thread == 0) means[place.row] = make_float2(group.v[0] * share, group.v[1] * share);
}

// The last launch: sums over the images, 8 channels a block of 256 threads.
template <typename T>
__global__ void __launch_bounds__(256) finish_channels(const Both* __restrict__ wholes, T* __restrict__ dweight,
                                                       T* __restrict__ dbias, int images, int channels) {
  const int channel = blockIdx.x * 8 + threadIdx.x % 8;
  const Both all = wt::merge_channel_parts(wholes + channel, channel < channels ? images : 0, channels);
  if (threadIdx.x >= 8 || channel >= channels) return;
  dweight[channel] = wt::from_float<T>(all.v[1]);
  dbias[channel] = wt::from_float<T>(all.v[0]);
}

template <typename T, int VEC> struct Pair {
  wt::Vec<T, VEC> dy, x;

  __device__ __forceinline__ void load(const T* dy_at, const T* x_at) {
    dy = wt::load<wt::kDefault, wt::Vec<T, VEC>>(dy_at);
    x = wt::load<wt::kDefault, wt::Vec<T, VEC>>(x_at);
  }
  __device__ __forceinline__ void unpack(float (&gradient)[VEC], float (&input)[VEC]) const {
    wt::unpack<T, VEC>(dy, gradient);
    wt::unpack<T, VEC>(x, input);
  }
};

// What the implementations of group_norm share: the normalisation of an element, and the statistics of a group from its
// parts. A plane is a channel of an image: plane = image * channels + channel.
#pragma once

#include "common/channels.cuh"

struct Statistics {
  float mean, rstd;
};
// With an infinity the mean is NaN too, in whatever order parts were merged.
__device__ __forceinline__ Statistics statistics_of(const wt::Moments& all, float eps) {
  return {isnan(all.squares) ? all.squares : all.mean, rsqrtf(all.squares / all.count + eps)};
}

struct Coefficients {
  float mean, scale, bias;

  __device__ __forceinline__ float normalise(float x) const { return fmaf(x - mean, scale, bias); }
};

// Groups of `size` neighbouring channels.
template <typename T> struct Groups {
  const float *mean, *rstd; // of each group of each image
  const T *weight, *bias;
  int size;

  __device__ __forceinline__ Coefficients of(i64 plane, int channel) const {
    const i64 group = plane / size;
    return {mean[group], rstd[group] * wt::to_float(weight[channel]), wt::to_float(bias[channel])};
  }
};

// The second launch: TPG threads share a group, GPB groups a block. parts[(image * count + part) * channels + channel].
template <int TPG, int GPB, bool DEPENDENT>
__global__ void __launch_bounds__(TPG* GPB) finish_groups(const wt::Moments* parts, float* mean, float* rstd, float eps,
                                                          i64 groups, int count, int channels, int size) {
  const wt::RowPlace<TPG, GPB, 1> place;
  __shared__ wt::RowExchange<wt::Moments, TPG, GPB, 1> exchange;
  if constexpr (DEPENDENT) {
    wt::launch_dependents();
    wt::wait_for_predecessor();
  }
  const bool live = place.row < groups;
  const int in_image = channels / size; // groups
  const i64 image = place.row / in_image;
  const wt::Moments* const first = parts + image * count * channels + place.row % in_image * size;
  wt::Moments all;
#pragma unroll 4
  for (int i = place.thread; i < (live ? count * size : 0); i += TPG)
    all.merge(first[i64(i / size) * channels + i % size]);
  all = exchange.merge(all, 0, place.row_in_block);
  if (!live || place.thread != 0) return;
  const Statistics own = statistics_of(all, eps);
  mean[place.row] = own.mean;
  rstd[place.row] = own.rstd;
}

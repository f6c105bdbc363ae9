// The sums over a block's part of a slab, and the gradients of its elements.
#pragma once

#include "common/slab.cuh"
#include "gradient.cuh"

// totals[0][channel] and totals[1][channel]: the sums of dy and of dy * (x - mean). mean: of the slab's groups, which
// have SIZE channels.
template <int SIZE, typename T, int THREADS, int CHANNELS, int VEC, bool WHOLE>
__device__ __forceinline__ void block_sums(const wt::Slab<T, THREADS, CHANNELS, VEC, WHOLE>& slab, const T* dy,
                                           const T* x, const float* mean, float (&totals)[2][CHANNELS]) {
  float centre[VEC], sums[2][VEC] = {};
#pragma unroll
  for (int k = 0; k < VEC; ++k) centre[k] = mean[(slab.channel + k) / SIZE];
  slab.template each_as_it_comes<2>({dy, x},
                                    [&](int, const wt::Vec<T, VEC>(&held)[2]) { add_vectors(held, centre, sums); });
  slab.add_turns(sums[0], totals[0]);
  slab.add_turns(sums[1], totals[1]);
}

// means[group]: of g and of g * x^. mean and rstd, too: of the slab's groups.
template <int SIZE, int STORES, typename T, int THREADS, int CHANNELS, int VEC, bool WHOLE>
__device__ __forceinline__ void store_gradients(const wt::Slab<T, THREADS, CHANNELS, VEC, WHOLE>& slab, const T* dy,
                                                const T* x, const T* weight, const float* mean, const float* rstd,
                                                const float2* means, T* dx) {
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const int group = (slab.channel + k) / SIZE;
    const float deviation = rstd[group];
    own[k] = {mean[group], deviation * wt::to_float(weight[slab.first_channel + slab.channel + k]),
              deviation * means[group].x, deviation * deviation * means[group].y};
  }
  slab.template each<2>({dy, x}, [&](int i, const wt::Vec<T, VEC>(&held)[2]) {
    float gradient[VEC], input[VEC];
    wt::unpack<T, VEC>(held[0], gradient);
    wt::unpack<T, VEC>(held[1], input);
#pragma unroll
    for (int k = 0; k < VEC; ++k) gradient[k] = own[k].gradient(gradient[k], input[k]);
    wt::store<STORES>(dx + slab.element(i), wt::pack<T, VEC>(gradient));
  });
}

// The statistics of a block's part of the groups of a slab.
#pragma once

#include "common/slab.cuh"
#include "group_norm.cuh"

// put(g, {mean, sum of the squares of the deviations from it}) in one thread for each of GROUPS groups of SIZE
// channels. The first rows to arrive give a number near the mean of each group. The mean of a share f of the rows is at
// most sqrt(1 / f - 1) deviations from that of all, so sums of distances to it keep the variance accurate.
template <int SIZE, int GROUPS, typename T, int THREADS, int CHANNELS, int VEC, bool WHOLE, typename Put>
__device__ __forceinline__ void block_moments(const wt::Slab<T, THREADS, CHANNELS, VEC, WHOLE>& slab, const T* x,
                                              const Put& put) {
  using V = wt::Vec<T, VEC>;
  __shared__ float totals[2][CHANNELS], shifts[GROUPS];
  float sums[VEC] = {}, squares[VEC] = {}, shift[VEC] = {};
  const auto add = [&](int, const V(&held)[1]) {
    float v[VEC];
    wt::unpack<T, VEC>(held[0], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float apart = v[k] - shift[k];
      sums[k] += apart;
      squares[k] = fmaf(apart, apart, squares[k]);
    }
  };
  slab.template each_of_chunk<0, 1>(add);
  slab.add_turns(sums, totals[0]);
  for (int g = threadIdx.x / 32; g < GROUPS; g += THREADS / 32)
    shifts[g] = wt::warp_sum<SIZE>(totals[0] + g * SIZE) / (static_cast<float>(slab.rows_of_first_chunk()) * SIZE);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    shift[k] = shifts[(slab.channel + k) / SIZE];
    sums[k] = squares[k] = 0;
  }
  slab.template each_as_it_comes<1>({x}, add);
  slab.add_turns(sums, totals[0]);
  slab.add_turns(squares, totals[1]);
  for (int g = threadIdx.x / 32; g < GROUPS; g += THREADS / 32) {
    const float sum = wt::warp_sum<SIZE>(totals[0] + g * SIZE), around = wt::warp_sum<SIZE>(totals[1] + g * SIZE),
                middle = sum / (static_cast<float>(slab.rows) * SIZE), rest = fmaf(-sum, middle, around);
    if (threadIdx.x % 32 == 0) put(g, make_float2(shifts[g] + middle, rest < 0 ? 0.0f : rest)); // NaN stays NaN
  }
}

// The moments of a group in `rows` rows of SIZE channels.
template <int SIZE> __device__ __forceinline__ wt::Moments moments_from(float2 pair, int rows) {
  wt::Moments all;
  all.count = static_cast<float>(rows) * SIZE;
  all.mean = pair.x;
  all.squares = pair.y;
  return all;
}

// Normalises a slab by the statistics of its groups, and stores it.
template <int SIZE, int STORES, typename T, int THREADS, int CHANNELS, int VEC, bool WHOLE>
__device__ __forceinline__ void store_slab(const wt::Slab<T, THREADS, CHANNELS, VEC, WHOLE>& slab, const T* x,
                                           const Statistics* statistics, const T* weight, const T* bias, T* y) {
  using V = wt::Vec<T, VEC>;
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const Statistics of_group = statistics[(slab.channel + k) / SIZE];
    const i64 channel = slab.first_channel + slab.channel + k;
    own[k] = {of_group.mean, of_group.rstd * wt::to_float(weight[channel]), wt::to_float(bias[channel])};
  }
  slab.template each<1>({x}, [&](int i, const V(&held)[1]) {
    float v[VEC];
    wt::unpack<T, VEC>(held[0], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = own[k].normalise(v[k]);
    wt::store<STORES>(y + slab.element(i), wt::pack<T, VEC>(v));
  });
}

// Group normalisation where channels are innermost, in one launch: a cluster holds the groups of some neighbouring
// channels of an image in shared memory, so that the device's memory is read once.
#include "common/slab.cuh"
#include "group_norm.cuh"

// A cluster works on GROUPS groups of SIZE channels. Its first rows to arrive give each block a number near the mean of
// a group: the mean of a part of at least a quarter of the block's rows is less than two deviations from that of all,
// so sums of distances to it keep the variance accurate.
template <typename T, int THREADS, int SIZE, int GROUPS, int VEC, int CLUSTER, int STORES>
__global__ void __launch_bounds__(THREADS)
    normalise_slabs(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                    float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float eps, int channels,
                    int pixels) {
  constexpr int kChannels = SIZE * GROUPS, kWarps = THREADS / 32;
  using Slab = wt::Slab<T, THREADS, kChannels, VEC, CLUSTER>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ float totals[2][kChannels], shifts[GROUPS];
  __shared__ Statistics statistics[GROUPS];
  __shared__ wt::ClusterPairs<GROUPS, CLUSTER> exchange; // mean, and sum of the squares of the deviations from it
  const Slab slab(channels, pixels, slots);
  exchange.announce();
  slab.copy({x});
  const auto add = [&](int i, const float(&from)[VEC], float(&sums)[VEC], float(&squares)[VEC]) {
    float v[VEC];
    wt::unpack<T, VEC>(slab.at(0, i), v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float apart = v[k] - from[k];
      sums[k] += apart;
      squares[k] = fmaf(apart, apart, squares[k]);
    }
  };
  const int warp = threadIdx.x / 32;
  float sums[VEC] = {}, squares[VEC] = {}, shift[VEC] = {};
  slab.template each_of<0>([&](int i) { add(i, shift, sums, squares); });
  slab.add_turns(sums, totals[0]);
  for (int g = warp; g < GROUPS; g += kWarps)
    shifts[g] = wt::warp_sum<SIZE>(totals[0] + g * SIZE) / (static_cast<float>(slab.rows_of_first_chunk()) * SIZE);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    shift[k] = shifts[(slab.channel + k) / SIZE];
    sums[k] = squares[k] = 0;
  }
  slab.each_as_it_comes([&](int i) { add(i, shift, sums, squares); });
  slab.add_turns(sums, totals[0]);
  slab.add_turns(squares, totals[1]);
  exchange.begin();
  for (int g = warp; g < GROUPS; g += kWarps) {
    const float sum = wt::warp_sum<SIZE>(totals[0] + g * SIZE), around = wt::warp_sum<SIZE>(totals[1] + g * SIZE),
                middle = sum / (static_cast<float>(slab.rows) * SIZE), rest = fmaf(-sum, middle, around);
    if (threadIdx.x % 32 == 0)
      exchange.put(slab.rank, g, make_float2(shifts[g] + middle, rest < 0 ? 0.0f : rest)); // NaN stays NaN
  }
  exchange.end();
  const i64 first_group = (slab.image * channels + slab.first_channel) / SIZE;
  for (int g = threadIdx.x; g < GROUPS; g += THREADS) {
    wt::Moments all;
#pragma unroll
    for (int rank = 0; rank < CLUSTER; ++rank) {
      wt::Moments part;
      part.count = static_cast<float>(Slab::rows_of(rank, pixels)) * SIZE;
      part.mean = exchange.of[rank][g].x;
      part.squares = exchange.of[rank][g].y;
      all.merge(part);
    }
    statistics[g] = statistics_of(all, eps);
    if (slab.rank != 0) continue;
    mean[first_group + g] = statistics[g].mean;
    rstd[first_group + g] = statistics[g].rstd;
  }
  __syncthreads();
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const Statistics of_group = statistics[(slab.channel + k) / SIZE];
    const i64 channel = slab.first_channel + slab.channel + k;
    own[k] = {of_group.mean, of_group.rstd * wt::to_float(weight[channel]), wt::to_float(bias[channel])};
  }
  slab.each([&](int i) {
    float v[VEC];
    wt::unpack<T, VEC>(slab.at(0, i), v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = own[k].normalise(v[k]);
    wt::store<STORES>(y + slab.first + i * slab.step, wt::pack<T, VEC>(v));
  });
}

// The gradient of group normalisation where channels are innermost, with one launch for dx: a cluster holds the groups
// of some neighbouring channels of an image in shared memory, so that the device's memory is read once.
#include "common/slab.cuh"
#include "gradient.cuh"

// A cluster works on GROUPS groups of SIZE channels. wholes[image * channels + channel].
template <typename T, int THREADS, int SIZE, int GROUPS, int VEC, int CLUSTER, int STORES>
__global__ void __launch_bounds__(THREADS)
    slab_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                   const float* __restrict__ mean, const float* __restrict__ rstd, T* __restrict__ dx,
                   Both* __restrict__ wholes, int channels, int pixels, float share) {
  constexpr int kChannels = SIZE * GROUPS, kWarps = THREADS / 32;
  using Slab = wt::Slab<T, THREADS, kChannels, VEC, true>;
  using V = wt::Vec<T, VEC>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ float
      totals[2][kChannels]; // of dy and of dy * (x - mean): of the block; then of all blocks, with weight and x^
  __shared__ float2 means[GROUPS];
  __shared__ wt::ClusterPairs<kChannels, CLUSTER> exchange;
  const int rank = blockIdx.x % CLUSTER;
  const Slab slab(blockIdx.x / CLUSTER, rank, CLUSTER, channels, pixels, 0, slots);
  exchange.announce();
  slab.template copy<2>({dy, x});
  const i64 first_group = (slab.image * channels + slab.first_channel) / SIZE;
  float centre[VEC], sums[2][VEC] = {};
#pragma unroll
  for (int k = 0; k < VEC; ++k) centre[k] = mean[first_group + (slab.channel + k) / SIZE];
  slab.template each_as_it_comes<2>({dy, x}, [&](int, const V(&held)[2]) {
    float gradient[VEC], input[VEC];
    wt::unpack<T, VEC>(held[0], gradient);
    wt::unpack<T, VEC>(held[1], input);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      sums[0][k] += gradient[k];
      sums[1][k] = fmaf(gradient[k], input[k] - centre[k], sums[1][k]);
    }
  });
  slab.add_turns(sums[0], totals[0]);
  slab.add_turns(sums[1], totals[1]);
  exchange.begin();
  for (int c = threadIdx.x; c < kChannels; c += THREADS) exchange.put(rank, c, make_float2(totals[0][c], totals[1][c]));
  exchange.end();
  for (int c = threadIdx.x; c < kChannels; c += THREADS) {
    Both all;
#pragma unroll
    for (int peer = 0; peer < CLUSTER; ++peer) {
      all.v[0] += exchange.of[peer][c].x;
      all.v[1] += exchange.of[peer][c].y;
    }
    all.v[1] *= rstd[first_group + c / SIZE];
    if (rank == 0) wholes[slab.image * channels + slab.first_channel + c] = all;
    const float w = wt::to_float(weight[slab.first_channel + c]);
    totals[0][c] = w * all.v[0];
    totals[1][c] = w * all.v[1];
  }
  __syncthreads();
  for (int g = threadIdx.x / 32; g < GROUPS; g += kWarps) {
    const float2 both = make_float2(wt::warp_sum<SIZE>(totals[0] + g * SIZE), wt::warp_sum<SIZE>(totals[1] + g * SIZE));
    if (threadIdx.x % 32 == 0) means[g] = make_float2(both.x * share, both.y * share);
  }
  __syncthreads();
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const int group = (slab.channel + k) / SIZE;
    const float deviation = rstd[first_group + group];
    own[k] = {centre[k], deviation * wt::to_float(weight[slab.first_channel + slab.channel + k]),
              deviation * means[group].x, deviation * deviation * means[group].y};
  }
  slab.template each<2>({dy, x}, [&](int i, const V(&held)[2]) {
    float gradient[VEC], input[VEC];
    wt::unpack<T, VEC>(held[0], gradient);
    wt::unpack<T, VEC>(held[1], input);
#pragma unroll
    for (int k = 0; k < VEC; ++k) gradient[k] = own[k].gradient(gradient[k], input[k]);
    wt::store<STORES>(dx + slab.element(i), wt::pack<T, VEC>(gradient));
  });
}

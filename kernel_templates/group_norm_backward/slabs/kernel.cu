// The gradient of group normalisation where channels are innermost, with one launch for dx: a cluster holds the groups
// of some neighbouring channels of an image in shared memory, so that the device's memory is read once.
#include "slab_sums.cuh"

// A cluster works on GROUPS groups of SIZE channels. wholes[image * channels + channel].
template <typename T, int THREADS, int SIZE, int GROUPS, int VEC, int CLUSTER, int STORES>
__global__ void __launch_bounds__(THREADS)
    slab_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                   const float* __restrict__ mean, const float* __restrict__ rstd, T* __restrict__ dx,
                   Both* __restrict__ wholes, int channels, int pixels, float share) {
  constexpr int kChannels = SIZE * GROUPS;
  using Slab = wt::Slab<T, THREADS, kChannels, VEC, true>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ float totals[2][kChannels]; // of the block; then of all blocks, with weight and x^
  __shared__ float2 means[GROUPS];
  __shared__ wt::ClusterPairs<kChannels, CLUSTER> exchange;
  const int rank = blockIdx.x % CLUSTER;
  const Slab slab(blockIdx.x / CLUSTER, rank, CLUSTER, channels, pixels, 0, slots);
  exchange.announce();
  slab.template copy<2>({dy, x});
  const i64 first = slab.image * channels + slab.first_channel, first_group = first / SIZE;
  block_sums<SIZE>(slab, dy, x, mean + first_group, totals);
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
    if (rank == 0) wholes[first + c] = all;
    const float w = wt::to_float(weight[slab.first_channel + c]);
    totals[0][c] = w * all.v[0];
    totals[1][c] = w * all.v[1];
  }
  __syncthreads();
  for (int g = threadIdx.x / 32; g < GROUPS; g += THREADS / 32) {
    const float sum = wt::warp_sum<SIZE>(totals[0] + g * SIZE), product = wt::warp_sum<SIZE>(totals[1] + g * SIZE);
    if (threadIdx.x % 32 == 0) means[g] = make_float2(sum * share, product * share);
  }
  __syncthreads();
  store_gradients<SIZE, STORES>(slab, dy, x, weight, mean + first_group, rstd + first_group, means, dx);
}

// Group normalisation where channels are innermost, in one launch: a cluster holds the groups of some neighbouring
// channels of an image in shared memory, so that the device's memory is read once.
#include "common/early.cuh"
#include "slab_moments.cuh"

// A cluster works on GROUPS groups of SIZE channels.
template <typename T, int THREADS, int SIZE, int GROUPS, int VEC, int CLUSTER, int STORES>
__global__ void __launch_bounds__(THREADS)
    normalise_slabs(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                    float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float eps, int channels,
                    int pixels) {
  wt::wait_for_earlier_work();
  using Slab = wt::Slab<T, THREADS, SIZE * GROUPS, VEC, true>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ Statistics statistics[GROUPS];
  __shared__ wt::ClusterPairs<GROUPS, CLUSTER> exchange;
  const int rank = blockIdx.x % CLUSTER;
  const Slab slab(blockIdx.x / CLUSTER, rank, CLUSTER, channels, pixels, 0, slots);
  exchange.announce();
  slab.template copy<1>({x});
  exchange.begin();
  block_moments<SIZE, GROUPS>(slab, x, [&](int g, float2 pair) { exchange.put(rank, g, pair); });
  exchange.end();
  const i64 first_group = (slab.image * channels + slab.first_channel) / SIZE;
  for (int g = threadIdx.x; g < GROUPS; g += THREADS) {
    wt::Moments all;
#pragma unroll
    for (int peer = 0; peer < CLUSTER; ++peer)
      all.merge(moments_from<SIZE>(exchange.of[peer][g], Slab::rows_of(peer, CLUSTER, pixels)));
    statistics[g] = statistics_of(all, eps);
    if (rank != 0) continue;
    mean[first_group + g] = statistics[g].mean;
    rstd[first_group + g] = statistics[g].rstd;
  }
  __syncthreads();
  store_slab<SIZE, STORES>(slab, x, statistics, weight, bias, y);
}

// Group normalisation where channels are innermost, for large images, in one cooperative launch: all blocks work on the
// same slab, as much of it as fits in shared memory, and the L2 may still have the rest when it is read again.
#include "slab_moments.cuh"

// A slab has GROUPS groups of SIZE channels. `most`: vectors that a thread holds. BLOCKS_PER_SM is the residency that
// the register allocation must allow.
template <typename T, int THREADS, int BLOCKS_PER_SM, int SIZE, int GROUPS, int VEC, int STORES>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    normalise_together(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                       float* __restrict__ mean, float* __restrict__ rstd, T* __restrict__ y, float2* pairs,
                       u32* arrivals, float eps, i64 slabs, int channels, int pixels, int most) {
  using Slab = wt::Slab<T, THREADS, SIZE * GROUPS, VEC, false>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ wt::Moments merged[GROUPS];
  __shared__ Statistics statistics[GROUPS];
  const int blocks = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
  const wt::GridPairs<GROUPS, THREADS> exchange{pairs, arrivals};
  for (i64 at = 0; at < slabs; ++at) {
    const Slab slab(at, blockIdx.x, blocks, channels, pixels, most, slots);
    slab.template copy<1>({x});
    block_moments<SIZE, GROUPS>(slab, x, [&](int g, float2 pair) { exchange.put(at, g, pair); });
    exchange.merge(at, merged, [&](float2 pair, int block) {
      return moments_from<SIZE>(pair, Slab::rows_of(block, blocks, pixels));
    });
    if (thread < GROUPS) {
      statistics[thread] = statistics_of(merged[thread], eps);
      if (blockIdx.x == 0) {
        const i64 first_group = (slab.image * channels + slab.first_channel) / SIZE;
        mean[first_group + thread] = statistics[thread].mean;
        rstd[first_group + thread] = statistics[thread].rstd;
      }
    }
    __syncthreads();
    store_slab<SIZE, STORES>(slab, x, statistics, weight, bias, y);
  }
}

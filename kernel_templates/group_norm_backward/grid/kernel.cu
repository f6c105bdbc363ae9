// The gradient of group normalisation where channels are innermost, for large images, with one cooperative launch for
// dx: all blocks work on the same slab, as much of it as fits in shared memory, and the L2 may still have the rest when
// it is read again.
#include "slab_sums.cuh"

// A slab has GROUPS groups of SIZE channels. `most`: vectors of each tensor that a thread holds. BLOCKS_PER_SM is the
// residency that the register allocation must allow. parts[(image * blocks + block) * channels + channel].
template <typename T, int THREADS, int BLOCKS_PER_SM, int SIZE, int GROUPS, int VEC, int STORES>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    gradients_together(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                       const float* __restrict__ mean, const float* __restrict__ rstd, T* __restrict__ dx,
                       Both* __restrict__ parts, float2* pairs, u32* arrivals, i64 slabs, int channels, int pixels,
                       int most, float share) {
  constexpr int kChannels = SIZE * GROUPS;
  using Slab = wt::Slab<T, THREADS, kChannels, VEC, false>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ float totals[2][kChannels]; // then with weight and x^
  __shared__ Both merged[GROUPS];
  __shared__ float2 means[GROUPS];
  const int blocks = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
  const wt::GridPairs<GROUPS, THREADS> exchange{pairs, arrivals};
  for (i64 at = 0; at < slabs; ++at) {
    const Slab slab(at, blockIdx.x, blocks, channels, pixels, most, slots);
    slab.template copy<2>({dy, x});
    const i64 first_group = (slab.image * channels + slab.first_channel) / SIZE;
    block_sums<SIZE>(slab, dy, x, mean + first_group, totals);
    for (int c = thread; c < kChannels; c += THREADS) {
      Both own;
      own.v[0] = totals[0][c];
      own.v[1] = totals[1][c] * rstd[first_group + c / SIZE];
      parts[(slab.image * blocks + blockIdx.x) * channels + slab.first_channel + c] = own;
      const float w = wt::to_float(weight[slab.first_channel + c]);
      totals[0][c] = w * own.v[0];
      totals[1][c] = w * own.v[1];
    }
    __syncthreads();
    for (int g = thread / 32; g < GROUPS; g += THREADS / 32) {
      const float sum = wt::warp_sum<SIZE>(totals[0] + g * SIZE), product = wt::warp_sum<SIZE>(totals[1] + g * SIZE);
      if (thread % 32 == 0) exchange.put(at, g, make_float2(sum, product));
    }
    exchange.merge(at, merged, [](float2 pair, int) {
      Both part;
      part.v[0] = pair.x;
      part.v[1] = pair.y;
      return part;
    });
    if (thread < GROUPS) means[thread] = make_float2(merged[thread].v[0] * share, merged[thread].v[1] * share);
    __syncthreads();
    store_gradients<SIZE, STORES>(slab, dy, x, weight, mean + first_group, rstd + first_group, means, dx);
  }
}

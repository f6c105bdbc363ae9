// The gradient of group normalisation where channels are innermost: a thread works on some neighbouring channels of
// some rows of pixels of an image, and keeps what belongs to channels in registers.
#include "gradient.cuh"

// Which part of which image a block works on.
struct Share {
  int tile, part;
  i64 image;

  __device__ __forceinline__ Share(i64 block, int tiles, int parts)
      : tile(static_cast<int>(block % tiles)), part(static_cast<int>(block / tiles % parts)),
        image(block / tiles / parts) {}
};

// The first launch.
template <typename T, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    row_sums(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ mean, Both* parts,
             int channels, int pixels, int size, int tiles, int count) {
  static_assert(BATCH * VEC <= 32, "more than 32 elements of each tensor in flight spill");
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Held = Pair<T, VEC>;
  const Share share(blockIdx.x, tiles, count);
  const i64 first = share.image * pixels * channels;
  const wt::ChannelRows<X, Y, VEC> slice(share.tile, share.part, count, pixels, channels);
  Both sums[VEC];
  float centre[VEC] = {};
#pragma unroll
  for (int k = 0; k < VEC; ++k)
    if (slice.exists()) centre[k] = mean[(share.image * channels + slice.channel + k) / size];
  slice.template each<BATCH, false, Held>([&](i64 i, Held& held) { held.load(dy + first + i, x + first + i); },
                                          [&](i64, const Held& held) {
                                            float gradient[VEC], input[VEC];
                                            held.unpack(gradient, input);
#pragma unroll
                                            for (int k = 0; k < VEC; ++k)
                                              sums[k].add(gradient[k], input[k] - centre[k]);
                                          });
  slice.merge(sums);
  if (slice.turn > 0 || !slice.exists()) return;
#pragma unroll
  for (int k = 0; k < VEC; ++k) parts[(share.image * count + share.part) * channels + slice.channel + k] = sums[k];
}

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, int X, int Y, int VEC, int BATCH, bool REVERSED, int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    row_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                  const float* __restrict__ mean, const float* __restrict__ rstd, const float2* means,
                  T* __restrict__ dx, int channels, int pixels, int size, int tiles, int count) {
  using Held = Pair<T, VEC>;
  const Share share(REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x, tiles, count);
  const i64 first = share.image * pixels * channels;
  const wt::ChannelRows<X, Y, VEC> slice(share.tile, share.part, count, pixels, channels);
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  if (!slice.exists()) return;
  const Groups<T> groups{mean, rstd, weight, means, size};
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) own[k] = groups.of(share.image * channels + slice.channel + k, slice.channel + k);
  slice.template each<BATCH, REVERSED, Held>([&](i64 i, Held& held) { held.load(dy + first + i, x + first + i); },
                                             [&](i64 i, const Held& held) {
                                               float gradient[VEC], input[VEC];
                                               held.unpack(gradient, input);
#pragma unroll
                                               for (int k = 0; k < VEC; ++k)
                                                 gradient[k] = own[k].gradient(gradient[k], input[k]);
                                               wt::store<STORES>(dx + first + i, wt::pack<T, VEC>(gradient));
                                             });
}

// Group normalisation where channels are innermost: a thread works on some neighbouring channels of some rows of pixels
// of an image, and keeps what belongs to channels in registers.
#include "common/early.cuh"
#include "group_norm.cuh"

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
    row_moments(const T* __restrict__ x, wt::Moments* parts, int channels, int pixels, int tiles, int count) {
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using V = wt::Vec<T, VEC>;
  const Share share(blockIdx.x, tiles, count);
  const T* const from = x + share.image * pixels * channels;
  const wt::ChannelRows<X, Y, VEC> slice(share.tile, share.part, count, pixels, channels);
  constexpr int kFold = 64; // rows
  wt::ShiftedMoments<float> sums[VEC];
  int added = 0;
  slice.template each<BATCH, false, V>([&](i64 i, V& held) { held = wt::load<wt::kDefault, V>(from + i); },
                                       [&](i64, const V& held) {
                                         float v[VEC];
                                         wt::unpack<T, VEC>(held, v);
#pragma unroll
                                         for (int k = 0; k < VEC; ++k) sums[k].add(v[k], added == 0);
                                         if (++added % kFold != 0) return;
#pragma unroll
                                         for (int k = 0; k < VEC; ++k) sums[k].fold();
                                       });
  wt::Moments moments[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) moments[k] = sums[k].of(added);
  slice.merge(moments);
  if (slice.turn > 0 || !slice.exists()) return;
#pragma unroll
  for (int k = 0; k < VEC; ++k) parts[(share.image * count + share.part) * channels + slice.channel + k] = moments[k];
}

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, int X, int Y, int VEC, int BATCH, bool REVERSED, int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_rows(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias, const float* mean,
                   const float* rstd, T* __restrict__ y, int channels, int pixels, int size, int tiles, int count) {
  using V = wt::Vec<T, VEC>;
  const Share share(REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x, tiles, count);
  const i64 first = share.image * pixels * channels;
  const wt::ChannelRows<X, Y, VEC> slice(share.tile, share.part, count, pixels, channels);
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  if (!slice.exists()) return;
  const Groups<T> groups{mean, rstd, weight, bias, size};
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) own[k] = groups.of(share.image * channels + slice.channel + k, slice.channel + k);
  slice.template each<BATCH, REVERSED, V>([&](i64 i, V& held) { held = wt::load<wt::kDefault, V>(x + first + i); },
                                          [&](i64 i, const V& held) {
                                            float v[VEC];
                                            wt::unpack<T, VEC>(held, v);
#pragma unroll
                                            for (int k = 0; k < VEC; ++k) v[k] = own[k].normalise(v[k]);
                                            wt::store<STORES>(y + first + i, wt::pack<T, VEC>(v));
                                          });
}

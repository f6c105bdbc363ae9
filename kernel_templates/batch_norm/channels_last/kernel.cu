// Batch normalisation where channels are innermost: a thread works on some neighbouring channels of a block's rows, and
// keeps what belongs to channels in registers.
#include "common/early.cuh"
#include "batch_norm.cuh"

// The first launch of training: parts[part * channels + channel].
template <typename T, int X, int Y, int VEC, int BATCH, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    row_moments(const T* __restrict__ x, wt::Moments* parts, i64 rows, int channels, int tiles, int count) {
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using V = wt::Vec<T, VEC>;
  const int part = blockIdx.x / tiles;
  const wt::ChannelRows<X, Y, VEC> slice(blockIdx.x % tiles, part, count, rows, channels);
  constexpr int kFold = 64; // rows
  wt::ShiftedMoments<float> sums[VEC];
  int added = 0;
  slice.template each<BATCH, false, V>([&](i64 i, V& held) { held = wt::load<wt::kDefault, V>(x + i); },
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
  for (int k = 0; k < VEC; ++k) parts[i64(part) * channels + slice.channel + k] = moments[k];
}

template <typename T, bool RESIDUAL, int VEC> struct Loaded { wt::Vec<T, VEC> x, residual; };

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, bool TRAINING, bool RESIDUAL, bool RELU, int X, int Y, int VEC, int BATCH, bool REVERSED,
          int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    normalise_rows(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                   const float* __restrict__ bias, const float* mean, const float* spread, T* __restrict__ y, float eps,
                   i64 rows, int channels, int tiles, int count) {
  static_assert(BATCH * VEC * (1 + RESIDUAL) <= 64, "more than 64 elements of a thread in flight spill");
  using V = wt::Vec<T, VEC>;
  using Held = Loaded<T, RESIDUAL, VEC>;
  const int part = blockIdx.x / tiles;
  const wt::ChannelRows<X, Y, VEC> slice(blockIdx.x % tiles, REVERSED ? count - 1 - part : part, count, rows, channels);
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  if (!slice.exists()) return;
  const Channels<TRAINING> all{mean, spread, weight, bias, eps};
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) own[k] = all.of(slice.channel + k);
  slice.template each<BATCH, REVERSED, Held>(
      [&](i64 i, Held& held) {
        held.x = wt::load<wt::kDefault, V>(x + i);
        if constexpr (RESIDUAL) held.residual = wt::load<wt::kDefault, V>(residual + i);
      },
      [&](i64 i, const Held& held) {
        float v[VEC], added[VEC] = {};
        wt::unpack<T, VEC>(held.x, v);
        if constexpr (RESIDUAL) wt::unpack<T, VEC>(held.residual, added);
#pragma unroll
        for (int k = 0; k < VEC; ++k) v[k] = activate<RELU>(own[k].normalise(v[k]) + added[k]);
        wt::store<STORES>(y + i, wt::pack<T, VEC>(v));
      });
}

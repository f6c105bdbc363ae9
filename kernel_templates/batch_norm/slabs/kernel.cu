// Batch normalisation where channels are innermost in training, in one cooperative launch: a team of blocks holds a
// slab of channels in shared memory, or the part of it that fits, so that the device's memory is read about once.
#include "batch_norm.cuh"
#include "common/slab_exchange.cuh"
#include "common/slab_laps.cuh"

// Slabs of CHANNELS channels. BLOCKS_PER_SM is the residency that the register allocation must allow. pairs[(slab *
// size of a team + rank) * CHANNELS + channel]: 0 before the launch. `room`: vectors that a thread holds.
template <typename T, bool RESIDUAL, bool RELU, int THREADS, int BLOCKS_PER_SM, int CHANNELS, int VEC, bool HINTS>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    normalise_slabs(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                    const float* __restrict__ bias, float* __restrict__ mean, float* __restrict__ rstd,
                    float* __restrict__ running_mean, float* __restrict__ running_variance, T* __restrict__ y,
                    u64* pairs, float eps, float momentum, i64 rows, int channels, int teams, int size, int room) {
  using Laps = wt::SlabLaps<T, 1, 0, THREADS, CHANNELS, VEC, HINTS>;
  using Held = typename Laps::V[1];
  using Place = typename Laps::Place;
  using None = wt::SlabExtra<T, false, VEC>;
  using More = wt::SlabExtra<T, RESIDUAL, VEC>;
  extern __shared__ __align__(128) u8 memory[];
  __shared__ wt::SlabExchange<wt::MomentPairs, THREADS, CHANNELS, VEC> exchange;
  __shared__ Coefficients coefficients[CHANNELS];
  Laps laps(teams, size, rows, channels, room, memory);

  for (laps.copy({x}); laps.more(); laps.advance()) {
    wt::ShiftedMoments<float> sums[VEC];
    float first[VEC];
    wt::unpack<T, VEC>(laps.first(), first);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sums[k].shift = first[k];
    laps.template each_as_it_comes<None>(
        {x}, [](i64, None&) {},
        [&](const Place&, const Held& held, const None&) {
          float v[VEC];
          wt::unpack<T, VEC>(held[0], v);
#pragma unroll
          for (int k = 0; k < VEC; ++k) sums[k].add(v[k], false);
        },
        [&] {
#pragma unroll
          for (int k = 0; k < VEC; ++k) sums[k].fold();
        });
    if constexpr (RESIDUAL) laps.prefetch(residual); // while the parts of other blocks arrive
    const int channel = laps.slab * CHANNELS + exchange.channel();
    const float w = weight[channel], shift = bias[channel];
    float2 own_pairs[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) own_pairs[k] = wt::MomentPairs::pair_of(sums[k].of(laps.count));
    const wt::Moments all = exchange.merge(own_pairs, laps.count, pairs + i64(laps.slab) * size * CHANNELS, laps.rank,
                                           size, [&](int block) { return laps.rows_of(block); });
    const Statistics of_channel = statistics_of(all, eps);
    if (exchange.is_first_lane())
      coefficients[exchange.channel()] = Coefficients{of_channel.mean, of_channel.rstd * w, shift};
    __syncthreads();
    if (laps.rank == 0 && exchange.is_first_lane())
      save_statistics(all, of_channel, channel, momentum, mean, rstd, running_mean, running_variance);

    Coefficients own[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) own[k] = coefficients[laps.channel + k];
    laps.template each_and_copy_next<More>(
        {x}, {x}, [&](i64 i, More& more) { more.load(residual + i); },
        [&](const Place& at, const Held& held, const More& more) {
          float v[VEC], added[VEC] = {};
          wt::unpack<T, VEC>(held[0], v);
          more.unpack(added);
#pragma unroll
          for (int k = 0; k < VEC; ++k) v[k] = activate<RELU>(own[k].normalise(v[k]) + added[k]);
          wt::store<wt::kStreaming>(y + at.element, wt::pack<T, VEC>(v));
        });
  }
}

// Batch normalisation of planes of one channel in training, in one cooperative launch: a team of blocks holds all
// planes of a channel in shared memory, so that the device's memory is read once.
#include "batch_norm.cuh"
#include "common/channel_team.cuh"

// BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, bool RESIDUAL, bool RELU, int THREADS, int BLOCKS_PER_SM, int VEC, int STORES>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    normalise_channels(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                       const float* __restrict__ bias, float* __restrict__ mean, float* __restrict__ rstd,
                       float* __restrict__ running_mean, float* __restrict__ running_variance, T* __restrict__ y,
                       u64* pairs, float eps, float momentum, i64 images, int channels, int pixels, int teams,
                       int size) {
  constexpr int kTensors = RESIDUAL ? 2 : 1;
  using V = wt::Vec<T, VEC>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ wt::RowExchange<wt::Moments, THREADS, 1, 1> exchange;
  const T* tensors[kTensors];
  tensors[0] = x;
  if constexpr (RESIDUAL) tensors[1] = residual;
  wt::ChannelTeam<T, kTensors, THREADS, VEC> team(teams, size, images, channels, pixels, slots);
  for (team.copy(tensors); team.more(); team.advance()) {
    const float w = weight[team.channel], shift = bias[team.channel];
    wt::ShiftedMoments<wt::LongSum> sums;
    int added = 0;
    team.each_as_it_comes([&](const V(&held)[kTensors]) {
      float v[VEC];
      wt::unpack<T, VEC>(held[0], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        sums.add(v[k], added == 0);
        ++added;
      }
      sums.fold();
    });
    const wt::Moments part = exchange.merge(sums.of(added), 0, 0);
    const wt::Moments all =
        team.template merge<wt::Moments>(pairs, make_float2(part.mean, part.squares), [&](float2 pair, int block) {
          wt::Moments other;
          other.count = static_cast<float>(team.vectors_of(block)) * VEC;
          other.mean = pair.x;
          other.squares = pair.y;
          return other;
        });
    const Statistics own = statistics_of(all, eps);
    if (team.rank == 0 && threadIdx.x == 0)
      save_statistics(all, own, team.channel, momentum, mean, rstd, running_mean, running_variance);
    const Coefficients here{own.mean, own.rstd * w, shift};
    team.each_and_copy_next(tensors, [&](i64 i, const V(&held)[kTensors]) {
      float v[VEC], added_to[VEC] = {};
      wt::unpack<T, VEC>(held[0], v);
      if constexpr (RESIDUAL) wt::unpack<T, VEC>(held[1], added_to);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] = activate<RELU>(here.normalise(v[k]) + added_to[k]);
      wt::store<STORES>(y + i, wt::pack<T, VEC>(v));
    });
  }
}

// Batch normalisation of small images in training, where channels are innermost, in one launch: a block, or a cluster,
// holds a slab of channels in registers. No block waits for those of another slab.
#include "batch_norm.cuh"
#include "common/channel_floats.cuh"
#include "common/early.cuh"
#include "common/held_slab.cuh"

// share, unbiased: 1 / rows, 1 / (rows - 1).
template <typename T, bool RESIDUAL, bool RELU, int THREADS, int CHANNELS, int VEC, int HELD, int CLUSTER>
__global__ void __launch_bounds__(THREADS)
    normalise_held(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                   const float* __restrict__ bias, float* __restrict__ mean, float* __restrict__ rstd,
                   float* __restrict__ running_mean, float* __restrict__ running_variance, T* __restrict__ y, float eps,
                   float momentum, float share, float unbiased, int rows, int channels) {
  wt::wait_for_earlier_work();
  using Slab = wt::HeldSlab<T, THREADS, CHANNELS, VEC, HELD, CLUSTER>;
  using V = typename Slab::V;
  __shared__ wt::HeldExchange<wt::MomentPairs, Slab> exchange;
  const Slab slab(rows, channels);
  exchange.announce();
  V held[HELD], more[RESIDUAL ? HELD : 1];
  slab.load(x, held);
  if constexpr (RESIDUAL) slab.load(residual, more);
  float w[VEC], b[VEC], old_mean[VEC], old_variance[VEC];
  wt::load_floats(weight + slab.channel, w);
  wt::load_floats(bias + slab.channel, b);
  const bool saves = slab.turn == 0;
  if (saves) {
    wt::load_floats(running_mean + slab.channel, old_mean);
    wt::load_floats(running_variance + slab.channel, old_variance);
  }

  float2 all[VEC];
  slab.moments(held, all);
  exchange.merge(slab, all);
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const float deviation = rsqrtf(fmaf(all[k].y, share, eps));
    own[k] = {isnan(all[k].y) ? all[k].y : all[k].x, deviation * w[k], b[k]}; // of an infinity: NaN
    if (!saves) continue;
    const int channel = slab.channel + k;
    mean[channel] = own[k].mean;
    rstd[channel] = deviation;
    running_mean[channel] = fmaf(momentum, own[k].mean, (1 - momentum) * old_mean[k]);
    running_variance[channel] = fmaf(momentum, all[k].y * unbiased, (1 - momentum) * old_variance[k]);
  }
#pragma unroll
  for (int i = 0; i < HELD; ++i) {
    if (!slab.has(i)) continue;
    float v[VEC], added[VEC] = {};
    wt::unpack<T, VEC>(held[i], v);
    if constexpr (RESIDUAL) wt::unpack<T, VEC>(more[i], added);
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = activate<RELU>(own[k].normalise(v[k]) + added[k]);
    wt::store<wt::kDefault>(y + slab.element(i), wt::pack<T, VEC>(v));
  }
}

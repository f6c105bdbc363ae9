// The gradient of batch normalisation of small images, where channels are innermost, in one launch: a block, or a
// cluster, holds a slab of channels in registers. No block waits for those of another slab.
#include "common/channel_floats.cuh"
#include "common/early.cuh"
#include "common/held_slab.cuh"
#include "gradient.cuh"

// share: 1 / rows.
template <typename T, int AFTER, int THREADS, int CHANNELS, int VEC, int HELD, int CLUSTER>
__global__ void __launch_bounds__(THREADS)
    held_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
                   const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
                   const float* __restrict__ rstd, T* __restrict__ dx, T* __restrict__ dresidual,
                   float* __restrict__ dweight, float* __restrict__ dbias, float share, int rows, int channels) {
  wt::wait_for_earlier_work();
  using Slab = wt::HeldSlab<T, THREADS, CHANNELS, VEC, HELD, CLUSTER>;
  using V = typename Slab::V;
  __shared__ wt::HeldExchange<wt::SumPairs<Both>, Slab> exchange;
  const Slab slab(rows, channels);
  exchange.announce();
  V before[HELD], inputs[HELD], results[AFTER == kAddRelu ? HELD : 1];
  slab.load(x, inputs);
  slab.load(dy, before);
  if constexpr (AFTER == kAddRelu) slab.load(y, results);
  float centre[VEC], deviation[VEC], w[VEC], b[VEC] = {};
  wt::load_floats(mean + slab.channel, centre);
  wt::load_floats(rstd + slab.channel, deviation);
  wt::load_floats(weight + slab.channel, w);
  if constexpr (AFTER == kRelu) wt::load_floats(bias + slab.channel, b);

  Coefficients own[VEC];
  float2 all[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    own[k] = {centre[k], deviation[k] * w[k], b[k]};
    all[k] = make_float2(0, 0);
  }
#pragma unroll
  for (int i = 0; i < HELD; ++i) {
    if (!slab.has(i)) continue;
    float g[VEC], input[VEC], result[VEC];
    wt::unpack<T, VEC>(before[i], g);
    wt::unpack<T, VEC>(inputs[i], input);
    if constexpr (AFTER == kAddRelu) wt::unpack<T, VEC>(results[i], result);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      g[k] = own[k].template gradient<AFTER>(g[k], input[k], result[k]);
      all[k].x += g[k];
      all[k].y = fmaf(g[k], input[k] - own[k].mean, all[k].y);
    }
    before[i] = wt::pack<T, VEC>(g); // exact: an element of dy, or 0
    if constexpr (AFTER == kAddRelu) wt::store<wt::kDefault>(dresidual + slab.element(i), before[i]);
  }
  exchange.merge(slab, all);
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const float sum = all[k].y * deviation[k];
    own[k].mean_of_g = all[k].x * share;
    own[k].mean_of_gx = sum * share * deviation[k];
    if (slab.turn > 0) continue;
    dweight[slab.channel + k] = sum;
    dbias[slab.channel + k] = all[k].x;
  }
#pragma unroll
  for (int i = 0; i < HELD; ++i) {
    if (!slab.has(i)) continue;
    float g[VEC], input[VEC];
    wt::unpack<T, VEC>(before[i], g);
    wt::unpack<T, VEC>(inputs[i], input);
#pragma unroll
    for (int k = 0; k < VEC; ++k) g[k] = own[k].input_gradient(g[k], input[k]);
    wt::store<wt::kDefault>(dx + slab.element(i), wt::pack<T, VEC>(g));
  }
}

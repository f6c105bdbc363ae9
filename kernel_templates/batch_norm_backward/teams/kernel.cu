// The gradient of batch normalisation of planes of one channel in one cooperative launch: a team of blocks holds all
// planes of a channel in shared memory, so that the device's memory is read once.
#include "common/channel_team.cuh"
#include "gradient.cuh"

// BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int AFTER, int THREADS, int BLOCKS_PER_SM, int VEC, int STORES>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    channel_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
                      const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
                      const float* __restrict__ rstd, T* __restrict__ dx, T* __restrict__ dresidual,
                      float* __restrict__ dweight, float* __restrict__ dbias, u64* pairs, float share, i64 images,
                      int channels, int pixels, int teams, int size) {
  constexpr int kTensors = AFTER == kAddRelu ? 3 : 2;
  using V = wt::Vec<T, VEC>;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ wt::RowExchange<Both, THREADS, 1, 1> exchange;
  const T* tensors[kTensors];
  tensors[0] = dy;
  tensors[1] = x;
  if constexpr (AFTER == kAddRelu) tensors[2] = y;
  const auto unpack = [](const V(&v)[kTensors], float(&g)[VEC], float(&input)[VEC], float(&result)[VEC]) {
    wt::unpack<T, VEC>(v[0], g);
    wt::unpack<T, VEC>(v[1], input);
    if constexpr (AFTER == kAddRelu) wt::unpack<T, VEC>(v[2], result);
  };
  wt::ChannelTeam<T, kTensors, THREADS, VEC> team(teams, size, images, channels, pixels, slots);
  for (team.copy(tensors); team.more(); team.advance()) {
    Coefficients own = Channels{weight, bias, mean, rstd}.of<AFTER>(team.channel);
    const float deviation = rstd[team.channel];
    Both sums;
    team.each_as_it_comes([&](const V(&v)[kTensors]) {
      float g[VEC], input[VEC], result[VEC];
      unpack(v, g, input, result);
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        sums.add(own.template gradient<AFTER>(g[k], input[k], result[k]), input[k] - own.mean);
    });
    sums = exchange.merge(sums, 0, 0);
    sums = team.template merge<Both>(pairs, make_float2(sums.v[0], sums.v[1]), [](float2 pair, int) {
      Both part;
      part.v[0] = pair.x;
      part.v[1] = pair.y;
      return part;
    });
    if (team.rank == 0 && threadIdx.x == 0) {
      dweight[team.channel] = sums.v[1] * deviation;
      dbias[team.channel] = sums.v[0];
    }
    own.mean_of_g = sums.v[0] * share;
    own.mean_of_gx = sums.v[1] * deviation * share * deviation;
    team.each_and_copy_next(tensors, [&](i64 i, const V(&v)[kTensors]) {
      float g[VEC], input[VEC], result[VEC], gradient[VEC];
      unpack(v, g, input, result);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        g[k] = own.template gradient<AFTER>(g[k], input[k], result[k]);
        gradient[k] = own.input_gradient(g[k], input[k]);
      }
      wt::store<STORES>(dx + i, wt::pack<T, VEC>(gradient));
      if constexpr (AFTER == kAddRelu) wt::store<STORES>(dresidual + i, wt::pack<T, VEC>(g));
    });
  }
}

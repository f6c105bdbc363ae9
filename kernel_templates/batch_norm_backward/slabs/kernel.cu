// The gradient of batch normalisation where channels are innermost, in one cooperative launch: a team of blocks holds a
// slab of channels in shared memory, or the part of it that fits, so that the device's memory is read about once.
#include "common/slab_exchange.cuh"
#include "common/slab_laps.cuh"
#include "gradient.cuh"

// Slabs of CHANNELS channels. BLOCKS_PER_SM is the residency that the register allocation must allow. pairs[(slab *
// size of a team + rank) * CHANNELS + channel]: 0 before the launch. `room`: vectors of each tensor that a thread
// holds. After an addition, g is stored to dresidual at once and takes the place of dy, also where it is read again;
// dresidual is not __restrict__, lest it is read too early.
template <typename T, int AFTER, int THREADS, int BLOCKS_PER_SM, int CHANNELS, int VEC, bool HINTS>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    slab_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
                   const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
                   const float* __restrict__ rstd, T* __restrict__ dx, T* dresidual, float* __restrict__ dweight,
                   float* __restrict__ dbias, u64* pairs, float share, i64 rows, int channels, int teams, int size,
                   int room) {
  constexpr bool kAdds = AFTER == kAddRelu;
  constexpr int kCuts = kAdds ? kNothing : AFTER; // where g is not there yet
  using Laps = wt::SlabLaps<T, 2, kAdds ? 1 : 0, THREADS, CHANNELS, VEC, HINTS>;
  using Held = typename Laps::V[2];
  using Place = typename Laps::Place;
  using None = wt::SlabExtra<T, false, VEC>;
  using More = wt::SlabExtra<T, kAdds, VEC>;
  extern __shared__ __align__(128) u8 memory[];
  __shared__ wt::SlabExchange<wt::SumPairs<Both>, THREADS, CHANNELS, VEC> exchange;
  __shared__ float2 means[CHANNELS];
  Laps laps(teams, size, rows, channels, room, memory);

  for (laps.copy({dy, x}); laps.more(); laps.advance()) {
    Coefficients own[VEC];
    Both sums[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k)
      own[k] = Channels{weight, bias, mean, rstd}.of<AFTER>(laps.slab * CHANNELS + laps.channel + k);
    laps.template each_as_it_comes<More>(
        {dy, x}, [&](i64 i, More& more) { more.load(y + i); },
        [&](const Place& at, const Held& held, const More& more) {
          float g[VEC], input[VEC], result[VEC];
          wt::unpack<T, VEC>(held[0], g);
          wt::unpack<T, VEC>(held[1], input);
          more.unpack(result);
#pragma unroll
          for (int k = 0; k < VEC; ++k) {
            g[k] = own[k].template gradient<AFTER>(g[k], input[k], result[k]);
            sums[k].add(g[k], input[k] - own[k].mean);
          }
          if constexpr (kAdds) {
            const auto packed = wt::pack<T, VEC>(g);
            wt::store<wt::kDefault>(dresidual + at.element, packed);
            if (at.held) *at.held = packed;
          }
        },
        [] {});
    const int channel = laps.slab * CHANNELS + exchange.channel();
    const float deviation = rstd[channel];
    float2 own_pairs[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) own_pairs[k] = make_float2(sums[k].v[0], sums[k].v[1]);
    const Both all = exchange.merge(own_pairs, laps.count, pairs + i64(laps.slab) * size * CHANNELS, laps.rank, size,
                                    [&](int block) { return laps.rows_of(block); });
    if (exchange.is_first_lane()) {
      means[exchange.channel()] = make_float2(all.v[0] * share, all.v[1] * deviation * share * deviation);
      if (laps.rank == 0) {
        dweight[channel] = all.v[1] * deviation;
        dbias[channel] = all.v[0];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      own[k].mean_of_g = means[laps.channel + k].x;
      own[k].mean_of_gx = means[laps.channel + k].y;
    }
    laps.template each_and_copy_next<None>(
        {kAdds ? dresidual : dy, x}, {dy, x}, [](i64, None&) {},
        [&](const Place& at, const Held& held, const None&) {
          float g[VEC], input[VEC], gradient[VEC];
          wt::unpack<T, VEC>(held[0], g);
          wt::unpack<T, VEC>(held[1], input);
#pragma unroll
          for (int k = 0; k < VEC; ++k) {
            g[k] = own[k].template gradient<kCuts>(g[k], input[k], 0);
            gradient[k] = own[k].input_gradient(g[k], input[k]);
          }
          wt::store<wt::kStreaming>(dx + at.element, wt::pack<T, VEC>(gradient));
        });
  }
}

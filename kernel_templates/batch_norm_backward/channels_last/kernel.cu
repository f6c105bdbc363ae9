// The gradient of batch normalisation where channels are innermost: a thread works on some neighbouring channels of a
// block's rows, and keeps what belongs to channels in registers.
#include "common/early.cuh"
#include "gradient.cuh"

// The first launch: parts[part * channels + channel]. EARLY: stores dresidual, which is g.
template <typename T, int AFTER, int X, int Y, int VEC, int BATCH, bool EARLY, bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    row_sums(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
             const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
             const float* __restrict__ rstd, T* __restrict__ dresidual, Both* parts, i64 rows, int channels, int tiles,
             int count) {
  static_assert(!EARLY || AFTER == kAddRelu, "there is a dresidual");
  static_assert(BATCH * VEC <= 32, "more than 32 elements of each tensor in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Held = Loaded<T, AFTER, VEC>;
  const int part = blockIdx.x / tiles;
  const wt::ChannelRows<X, Y, VEC> slice(blockIdx.x % tiles, part, count, rows, channels);
  const Channels all{weight, bias, mean, rstd};
  Coefficients own[VEC];
  Both sums[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k)
    if (slice.exists()) own[k] = all.of<AFTER>(slice.channel + k);
  slice.template each<BATCH, false, Held>([&](i64 i, Held& held) { held.template load<EARLY>(dy + i, x + i, y + i); },
                                          [&](i64 i, const Held& held) {
                                            float g[VEC], input[VEC], result[VEC];
                                            held.unpack(g, input, result);
#pragma unroll
                                            for (int k = 0; k < VEC; ++k) {
                                              g[k] = own[k].template gradient<AFTER>(g[k], input[k], result[k]);
                                              sums[k].add(g[k], input[k] - own[k].mean);
                                            }
                                            if constexpr (EARLY)
                                              wt::store<wt::kDefault>(dresidual + i, wt::pack<T, VEC>(g));
                                          });
  slice.merge(sums);
  if (slice.turn > 0 || !slice.exists()) return;
#pragma unroll
  for (int k = 0; k < VEC; ++k) parts[i64(part) * channels + slice.channel + k] = sums[k];
}

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2. EARLY: dresidual is
// there, and is read in place of dy and y; not __restrict__, lest loads move before the wait.
template <typename T, int AFTER, int X, int Y, int VEC, int BATCH, bool EARLY, bool REVERSED, int STORES,
          bool DEPENDENT>
__global__ void __launch_bounds__(X* Y)
    row_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
                  const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
                  const float* __restrict__ rstd, const float* dweight, const float* dbias, T* __restrict__ dx,
                  T* dresidual, float share, i64 rows, int channels, int tiles, int count) {
  constexpr int kCuts = EARLY ? kNothing : AFTER;
  using Held = Loaded<T, kCuts, VEC>;
  const T* const before = EARLY ? dresidual : dy;
  const int part = blockIdx.x / tiles;
  const wt::ChannelRows<X, Y, VEC> slice(blockIdx.x % tiles, REVERSED ? count - 1 - part : part, count, rows, channels);
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  if (!slice.exists()) return;
  const Channels all{weight, bias, mean, rstd};
  Coefficients own[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) own[k] = all.of<kCuts>(slice.channel + k, dweight, dbias, share);
  slice.template each<BATCH, REVERSED, Held>([&](i64 i, Held& held) { held.load(before + i, x + i, y + i); },
                                             [&](i64 i, const Held& held) {
                                               float g[VEC], input[VEC], result[VEC], own_gradient[VEC];
                                               held.unpack(g, input, result);
#pragma unroll
                                               for (int k = 0; k < VEC; ++k) {
                                                 g[k] = own[k].template gradient<kCuts>(g[k], input[k], result[k]);
                                                 own_gradient[k] = own[k].input_gradient(g[k], input[k]);
                                               }
                                               wt::store<STORES>(dx + i, wt::pack<T, VEC>(own_gradient));
                                               if constexpr (kCuts == kAddRelu)
                                                 wt::store<STORES>(dresidual + i, wt::pack<T, VEC>(g));
                                             });
}

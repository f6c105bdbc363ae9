// Batch normalisation of planes of one channel: threads share the planes of a channel for its statistics, and any
// elements are normalised in vectors. Planes of any length and alignment.
#include "batch_norm.cuh"
#include "common/broadcast.cuh"
#include "common/early.cuh"
#include "common/one_tile.cuh"

// The first launch of training: parts[part * channels + channel].
template <typename T, int TPC, int CPB, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(TPC* CPB) plane_moments(const T* __restrict__ x, wt::Moments* parts, i64 images,
                                                          int channels, int pixels, int tiles, int count) {
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Slice = wt::ChannelPlanes<T, TPC, CPB, VEC, ALIGNED>;
  using V = wt::Vec<T, VEC>;
  __shared__ wt::RowExchange<wt::Moments, TPC, CPB, 1> exchange;
  const int part = blockIdx.x / tiles;
  const Slice slice(blockIdx.x % tiles, part, count, images, channels, pixels);
  wt::ShiftedMoments<wt::LongSum> sums;
  int added = 0;
  slice.template each<BATCH, V>([&](i64 i, V& held) { held = wt::load<wt::kDefault, V>(x + i); },
                                [&](i64 i, V& held, int k) { held.v[k] = x[i]; },
                                [&](const V& held, const typename Slice::Plane& plane, int i) {
                                  float v[VEC];
                                  wt::unpack<T, VEC>(held, v);
#pragma unroll
                                  for (int k = 0; k < VEC; ++k) {
                                    if (!plane.holds(i, k)) continue;
                                    sums.add(v[k], added == 0);
                                    ++added;
                                  }
                                  sums.fold();
                                });
  const wt::Moments all = exchange.merge(sums.of(added), 0, slice.place.row_in_block);
  if (slice.place.thread == 0 && slice.exists()) parts[i64(part) * channels + slice.channel] = all;
}

// ALIGNED: a vector does not leave its plane.
template <typename T, typename Index, bool TRAINING, bool RESIDUAL, bool RELU, bool ALIGNED, int STORES> struct Planes {
  const T *x, *residual;
  T* y;
  Channels<TRAINING> all;
  Index channels, pixels;

  template <int N> struct Loaded { wt::Vec<T, N> x, residual; };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.x = wt::load<wt::kDefault, wt::Vec<T, N>>(x + i);
    if constexpr (RESIDUAL) held.residual = wt::load<wt::kDefault, wt::Vec<T, N>>(residual + i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float v[N], added[N] = {};
    wt::unpack<T, N>(held.x, v);
    if constexpr (RESIDUAL) wt::unpack<T, N>(held.residual, added);
    const Index plane = Index(i) / pixels;
    Index pixel = Index(i) - plane * pixels, channel = plane % channels;
    Coefficients own = all.of(static_cast<int>(channel));
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v[k] = activate<RELU>(own.normalise(v[k]) + added[k]);
      if (ALIGNED || k == N - 1 || ++pixel < pixels) continue;
      pixel = 0;
      channel = channel + 1 == channels ? 0 : channel + 1;
      own = all.of(static_cast<int>(channel));
    }
    wt::store<STORES>(y + i, wt::pack<T, N>(v));
  }
};

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, bool TRAINING, bool RESIDUAL, bool RELU, bool ALIGNED, bool WIDE, int VEC, int UNROLL, int BLOCK,
          bool REVERSED, int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK)
    normalise_planes(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                     const float* __restrict__ bias, const float* mean, const float* spread, T* __restrict__ y,
                     float eps, i64 size, int channels, int pixels) {
  using Index = typename wt::IndexOf<WIDE>::type;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  const Planes<T, Index, TRAINING, RESIDUAL, RELU, ALIGNED, STORES> work{
      x, residual, y, {mean, spread, weight, bias, eps}, Index(channels), Index(pixels)};
  const i64 tile = REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  wt::do_one_tile<VEC, UNROLL, BLOCK>(tile, size, work);
}

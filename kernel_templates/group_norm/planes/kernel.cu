// Group normalisation of planes of one channel: threads share a plane for its part of the statistics, and any elements
// are normalised in vectors. Planes of any length and alignment.
#include "common/broadcast.cuh"
#include "common/early.cuh"
#include "common/one_tile.cuh"
#include "group_norm.cuh"

// The first launch: parts[image * channels + channel].
template <typename T, int TPC, int CPB, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(TPC* CPB)
    plane_moments(const T* __restrict__ x, wt::Moments* parts, i64 images, int channels, int pixels, int tiles) {
  static_assert(BATCH * VEC <= 64, "more than 64 elements of a thread in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Slice = wt::ChannelPlanes<T, TPC, CPB, VEC, ALIGNED>;
  using V = wt::Vec<T, VEC>;
  __shared__ wt::RowExchange<wt::Moments, TPC, CPB, 1> exchange;
  const int image = blockIdx.x / tiles;
  const Slice slice(blockIdx.x % tiles, image, static_cast<int>(images), images, channels, pixels);
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
  if (slice.place.thread == 0 && slice.exists()) parts[i64(image) * channels + slice.channel] = all;
}

// ALIGNED: a vector does not leave its plane.
template <typename T, typename Index, bool ALIGNED, int STORES> struct Planes {
  const T* x;
  T* y;
  Groups<T> groups;
  Index channels, pixels;

  template <int N> using Loaded = wt::Vec<T, N>;
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held = wt::load<wt::kDefault, Loaded<N>>(x + i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float v[N];
    wt::unpack<T, N>(held, v);
    Index plane = Index(i) / pixels, pixel = Index(i) - plane * pixels, channel = plane % channels;
    Coefficients own = groups.of(plane, static_cast<int>(channel));
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v[k] = own.normalise(v[k]);
      if (ALIGNED || k == N - 1 || ++pixel < pixels) continue;
      pixel = 0;
      channel = channel + 1 == channels ? 0 : channel + 1;
      own = groups.of(++plane, static_cast<int>(channel));
    }
    wt::store<STORES>(y + i, wt::pack<T, N>(v));
  }
};

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, bool ALIGNED, bool WIDE, int VEC, int UNROLL, int BLOCK, bool REVERSED, int STORES,
          bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK)
    normalise_planes(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias,
                     const float* mean, const float* rstd, T* __restrict__ y, i64 elements, int channels, int pixels,
                     int size) {
  using Index = typename wt::IndexOf<WIDE>::type;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  const Planes<T, Index, ALIGNED, STORES> work{x, y, {mean, rstd, weight, bias, size}, Index(channels), Index(pixels)};
  wt::do_one_tile<VEC, UNROLL, BLOCK>(REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x, elements, work);
}

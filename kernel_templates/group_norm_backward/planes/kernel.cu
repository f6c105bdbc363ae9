// The gradient of group normalisation of planes of one channel: threads share a plane for its sums, and the gradient of
// any elements is computed in vectors. Planes of any length and alignment.
#include "common/broadcast.cuh"
#include "common/one_tile.cuh"
#include "gradient.cuh"

// The first launch: parts[image * channels + channel].
template <typename T, int TPC, int CPB, int VEC, int BATCH, bool ALIGNED, bool DEPENDENT>
__global__ void __launch_bounds__(TPC* CPB)
    plane_sums(const T* __restrict__ dy, const T* __restrict__ x, const float* __restrict__ mean, Both* parts,
               i64 images, int channels, int pixels, int size, int tiles) {
  static_assert(BATCH * VEC <= 32, "more than 32 elements of each tensor in flight spill");
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Slice = wt::ChannelPlanes<T, TPC, CPB, VEC, ALIGNED>;
  using Held = Pair<T, VEC>;
  __shared__ wt::RowExchange<Both, TPC, CPB, 1> exchange;
  const int image = blockIdx.x / tiles;
  const Slice slice(blockIdx.x % tiles, image, static_cast<int>(images), images, channels, pixels);
  const float centre = slice.exists() ? mean[(i64(image) * channels + slice.channel) / size] : 0.0f;
  Both sums;
  slice.template each<BATCH, Held>([&](i64 i, Held& held) { held.load(dy + i, x + i); },
                                   [&](i64 i, Held& held, int k) {
                                     held.dy.v[k] = dy[i];
                                     held.x.v[k] = x[i];
                                   },
                                   [&](const Held& held, const typename Slice::Plane& plane, int i) {
                                     float gradient[VEC], input[VEC];
                                     held.unpack(gradient, input);
#pragma unroll
                                     for (int k = 0; k < VEC; ++k)
                                       if (plane.holds(i, k)) sums.add(gradient[k], input[k] - centre);
                                   });
  sums = exchange.merge(sums, 0, slice.place.row_in_block);
  if (slice.place.thread == 0 && slice.exists()) parts[i64(image) * channels + slice.channel] = sums;
}

// ALIGNED: a vector does not leave its plane.
template <typename T, typename Index, bool ALIGNED, int STORES> struct Planes {
  const T *dy, *x;
  T* dx;
  Groups<T> groups;
  Index channels, pixels;

  template <int N> using Loaded = Pair<T, N>;
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const { held.load(dy + i, x + i); }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float gradient[N], input[N];
    held.unpack(gradient, input);
    Index plane = Index(i) / pixels, pixel = Index(i) - plane * pixels, channel = plane % channels;
    Coefficients own = groups.of(plane, static_cast<int>(channel));
#pragma unroll
    for (int k = 0; k < N; ++k) {
      gradient[k] = own.gradient(gradient[k], input[k]);
      if (ALIGNED || k == N - 1 || ++pixel < pixels) continue;
      pixel = 0;
      channel = channel + 1 == channels ? 0 : channel + 1;
      own = groups.of(++plane, static_cast<int>(channel));
    }
    wt::store<STORES>(dx + i, wt::pack<T, N>(gradient));
  }
};

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2.
template <typename T, bool ALIGNED, bool WIDE, int VEC, int UNROLL, int BLOCK, bool REVERSED, int STORES,
          bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK)
    plane_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                    const float* __restrict__ mean, const float* __restrict__ rstd, const float2* means,
                    T* __restrict__ dx, i64 elements, int channels, int pixels, int size) {
  using Index = typename wt::IndexOf<WIDE>::type;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  const Planes<T, Index, ALIGNED, STORES> work{dy,           x, dx, {mean, rstd, weight, means, size}, Index(channels),
                                               Index(pixels)};
  wt::do_one_tile<VEC, UNROLL, BLOCK>(REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x, elements, work);
}

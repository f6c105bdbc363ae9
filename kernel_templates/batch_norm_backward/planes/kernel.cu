// The gradient of batch normalisation of planes of one channel: threads share the planes of a channel for its sums, and
// the gradient of any elements is computed in vectors. Planes of any length and alignment.
#include "common/broadcast.cuh"
#include "common/early.cuh"
#include "common/one_tile.cuh"
#include "gradient.cuh"

// The first launch: parts[part * channels + channel]. EARLY: stores dresidual, which is g.
template <typename T, int AFTER, int TPC, int CPB, int VEC, int BATCH, bool ALIGNED, bool EARLY, bool DEPENDENT>
__global__ void __launch_bounds__(TPC* CPB)
    plane_sums(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
               const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
               const float* __restrict__ rstd, T* __restrict__ dresidual, Both* parts, i64 images, int channels,
               int pixels, int tiles, int count) {
  static_assert(!EARLY || AFTER == kAddRelu, "there is a dresidual");
  static_assert(BATCH * VEC <= 32, "more than 32 elements of each tensor in flight spill");
  wt::wait_for_earlier_work();
  if constexpr (DEPENDENT) wt::launch_dependents();
  using Slice = wt::ChannelPlanes<T, TPC, CPB, VEC, ALIGNED>;
  using Held = Loaded<T, AFTER, VEC>;
  __shared__ wt::RowExchange<Both, TPC, CPB, 1> exchange;
  const int part = blockIdx.x / tiles;
  const Slice slice(blockIdx.x % tiles, part, count, images, channels, pixels);
  const Channels all{weight, bias, mean, rstd};
  Coefficients own{};
  if (slice.exists()) own = all.of<AFTER>(slice.channel);
  Both sums;
  slice.template each<BATCH, Held>(
      [&](i64 i, Held& held) { held.template load<EARLY>(dy + i, x + i, y + i); },
      [&](i64 i, Held& held, int k) {
        held.dy.v[k] = dy[i];
        held.x.v[k] = x[i];
        if constexpr (AFTER == kAddRelu) held.y.v[k] = y[i];
      },
      [&](const Held& held, const typename Slice::Plane& plane, int v) {
        float g[VEC], input[VEC], result[VEC];
        held.unpack(g, input, result);
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
          g[k] = own.template gradient<AFTER>(g[k], input[k], result[k]);
          if (plane.holds(v, k)) sums.add(g[k], input[k] - own.mean);
        }
        if constexpr (EARLY) { // a vector of several planes: with the first one, because g is that of any plane
          const i64 i = plane.first + i64(v) * VEC;
          const wt::Vec<T, VEC> cut = wt::pack<T, VEC>(g);
          if (!ALIGNED && plane.column(v) < 0) return;
          if (ALIGNED || i + VEC <= slice.size) {
            wt::store<wt::kDefault>(dresidual + i, cut);
          } else {
#pragma unroll
            for (int k = 0; k < VEC; ++k)
              if (i + k < slice.size) dresidual[i + k] = cut.v[k];
          }
        }
      });
  sums = exchange.merge(sums, 0, slice.place.row_in_block);
  if (slice.place.thread == 0 && slice.exists()) parts[i64(part) * channels + slice.channel] = sums;
}

// ALIGNED: a vector does not leave its plane.
template <typename T, typename Index, int AFTER, bool ALIGNED, int STORES> struct Planes {
  const T *dy, *x, *y;
  T *dx, *dresidual;
  Channels all;
  const float *dweight, *dbias;
  float share;
  Index channels, pixels;

  template <int N> using Loaded = ::Loaded<T, AFTER, N>;
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.load(dy + i, x + i, y + i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float g[N], input[N], result[N], gradient[N];
    held.unpack(g, input, result);
    const Index plane = Index(i) / pixels;
    Index pixel = Index(i) - plane * pixels, channel = plane % channels;
    Coefficients own = all.of<AFTER>(static_cast<int>(channel), dweight, dbias, share);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      g[k] = own.template gradient<AFTER>(g[k], input[k], result[k]);
      gradient[k] = own.input_gradient(g[k], input[k]);
      if (ALIGNED || k == N - 1 || ++pixel < pixels) continue;
      pixel = 0;
      channel = channel + 1 == channels ? 0 : channel + 1;
      own = all.of<AFTER>(static_cast<int>(channel), dweight, dbias, share);
    }
    wt::store<STORES>(dx + i, wt::pack<T, N>(gradient));
    if constexpr (AFTER == kAddRelu) wt::store<STORES>(dresidual + i, wt::pack<T, N>(g));
  }
};

// REVERSED: in the opposite order of the first launch, so that what it read last comes from the L2. EARLY: dresidual is
// there, and is read in place of dy and y; not __restrict__, lest loads move before the wait.
template <typename T, int AFTER, bool ALIGNED, bool WIDE, int VEC, int UNROLL, int BLOCK, bool EARLY, bool REVERSED,
          int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK)
    plane_gradients(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ y,
                    const float* __restrict__ weight, const float* __restrict__ bias, const float* __restrict__ mean,
                    const float* __restrict__ rstd, const float* dweight, const float* dbias, T* __restrict__ dx,
                    T* dresidual, float share, i64 size, int channels, int pixels) {
  using Index = typename wt::IndexOf<WIDE>::type;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  using Work = Planes<T, Index, EARLY ? kNothing : AFTER, ALIGNED, STORES>;
  const T* const before = EARLY ? dresidual : dy;
  const Work work{before,       x, y, dx, dresidual, {weight, bias, mean, rstd}, dweight, dbias, share, Index(channels),
                  Index(pixels)};
  wt::do_one_tile<VEC, UNROLL, BLOCK>(REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x, size, work);
}

// The gradient of a loss with respect to x: one pass. With SIGNS two bits for each element, which loss has stored, take the
// place of x and target.
#include "common/early.cuh"
#include "common/losses.cuh"
#include "common/packed_bits.cuh"
#include "common/tiles.cuh"

using namespace wt;

// SUM: all losses have the same gradient: `total` * `share`. Nothing is computed from `total` before the other loads are
// under way.
template <typename T, typename D, typename Function, bool SUM, bool SIGNS, int STORES> struct Gradients {
  const D* dloss;
  const T *x, *target;
  const u8* signs;
  T* dx;
  LossSettings settings;
  D total;
  float share;

  template <int N> struct Loaded {
    Vec<D, SUM ? 1 : N> dloss;
    Vec<T, N> x, target;
    u32 bits;
  };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    if constexpr (!SUM) held.dloss = wt::load<kDefault, Vec<D, N>>(dloss + i);
    if constexpr (SIGNS) {
      held.bits = PackedBits<2>::load<N>(signs, i);
    } else {
      held.x = wt::load<kDefault, Vec<T, N>>(x + i);
      held.target = wt::load<kDefault, Vec<T, N>>(target + i);
    }
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float g[SUM ? 1 : N], v[N], t[N];
    if constexpr (SUM)
      g[0] = to_float(total) * share;
    else
      unpack<D, N>(held.dloss, g);
    if constexpr (!SIGNS) {
      unpack<T, N>(held.x, v);
      unpack<T, N>(held.target, t);
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
      float slope;
      if constexpr (SIGNS)
        slope = float(int(held.bits >> (2 * k) & 1) - int(held.bits >> (2 * k + 1) & 1));
      else
        slope = Function::template gradient<T>(v[k], t[k], settings);
      v[k] = slope * g[SUM ? 0 : k];
    }
    wt::store<STORES>(dx + i, pack<T, N>(v));
  }
};

template <typename T, typename D, typename Function, bool SUM, bool SIGNS, int VEC, int UNROLL, int BLOCK,
          bool PERSISTENT, int STORES>
__global__ void __launch_bounds__(BLOCK)
    elementwise_loss_backward(const D* __restrict__ dloss, const T* __restrict__ x, const T* __restrict__ target,
                              const u8* __restrict__ signs, T* __restrict__ dx, float beta, float delta, float margin,
                              float share, i64 n) {
  static_assert(VEC * sizeof(T) <= 16 && (SUM || VEC * sizeof(D) <= 16), "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  const Gradients<T, D, Function, SUM, SIGNS, STORES> gradients{
      dloss, x, target, signs, dx, {beta, delta, margin}, SUM ? *dloss : D{}, share};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, gradients);
}

// dx = dy * function'(x + bias), where another tensor multiplied the function's result also times it, and the gradient
// of that tensor: one pass over tensors of any length and alignment. With MASK a bit for each element, which elementwise
// has stored, takes the place of x and bias.
#include "common/activations.cuh"
#include "common/broadcast.cuh"
#include "common/early_next.cuh"
#include "common/packed_bits.cuh"
#include "common/tiles.cuh"
#include "expression.cuh"

using namespace wt;

enum class Other : int { kNone, kMul, kRead }; // kRead: only an expression uses it

struct Expression {
  static __device__ float value(float x, float bias, float other, const Settings& s) {
    return expression<float>(x, bias, other, s.alpha, s.beta);
  }
  static __device__ float gradient(float x, float bias, float other, float dy, const Settings& s) {
    return dy * derivative<float>(x, bias, other, s.alpha, s.beta);
  }
};

template <typename T, typename Function, Other OTHER, Along BIAS, bool ALIGNED, typename Index, bool MASK, int LOADS,
          int STORES>
struct Gradient {
  const T *dy, *x, *other;
  const u8* mask;
  T *dx, *dother;
  Broadcast<T, BIAS, ALIGNED, Index> bias;
  Settings settings;

  template <int N> struct Loaded {
    Vec<T, N> dy, x, other, bias;
    u32 bits;
  };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.dy = wt::load<LOADS, Vec<T, N>>(dy + i);
    if constexpr (MASK)
      held.bits = PackedBits<1>::load<N>(mask, i);
    else
      held.x = wt::load<LOADS, Vec<T, N>>(x + i);
    if constexpr (OTHER != Other::kNone) held.other = wt::load<LOADS, Vec<T, N>>(other + i);
    if constexpr (BIAS != Along::kNone) held.bias = bias.template load<N>(i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float g[N], v[N], w[N] = {}, b[N] = {};
    unpack<T, N>(held.dy, g);
    if constexpr (MASK) {
#pragma unroll
      for (int k = 0; k < N; ++k) v[k] = Function::pass(held.bits >> k & 1, g[k], settings);
      wt::store<STORES>(dx + i, pack<T, N>(v));
      return;
    }
    unpack<T, N>(held.x, v);
    if constexpr (OTHER != Other::kNone) unpack<T, N>(held.other, w);
    if constexpr (BIAS != Along::kNone) unpack<T, N>(held.bias, b);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const float at = BIAS == Along::kNone ? v[k] : v[k] + b[k], reached = OTHER == Other::kMul ? g[k] * w[k] : g[k];
      if constexpr (is_same<Function, Expression>) {
        const float x = v[k];
        v[k] = Function::gradient(x, b[k], w[k], reached, settings);
        if constexpr (OTHER == Other::kMul) w[k] = g[k] * Function::value(x, b[k], w[k], settings);
      } else {
        v[k] = Function::template gradient<T>(at, reached, settings);
        if constexpr (OTHER == Other::kMul) w[k] = g[k] * Function::template value<T>(at, settings);
      }
    }
    wt::store<STORES>(dx + i, pack<T, N>(v));
    if constexpr (OTHER == Other::kMul) wt::store<STORES>(dother + i, pack<T, N>(w));
  }
};

// LOADS and STORES: cache hints of vec.cuh. OTHER and BIAS: values of the enums.
template <typename T, typename Function, int OTHER, int BIAS, bool ALIGNED, bool WIDE, bool MASK, int VEC, int UNROLL,
          int BLOCK, bool PERSISTENT, int LOADS, int STORES>
__global__ void __launch_bounds__(BLOCK)
    elementwise_backward(const T* __restrict__ dy, const T* __restrict__ x, const u8* __restrict__ mask,
                         const T* __restrict__ bias, const T* __restrict__ other, T* __restrict__ dx,
                         T* __restrict__ dother, float negative_slope, float alpha, float beta, float threshold,
                         float min_val, float max_val, i64 n, i64 rows, i64 cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::let_next_start();
  wt::wait_for_earlier_work();
  using Index = typename IndexOf<WIDE>::type;
  const Gradient<T, Function, Other(OTHER), Along(BIAS), ALIGNED, Index, MASK, LOADS, STORES> gradient{
      dy,
      x,
      other,
      mask,
      dx,
      dother,
      {bias, Index(rows), Index(cols)},
      {negative_slope, alpha, beta, threshold, min_val, max_val}};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, gradient);
}

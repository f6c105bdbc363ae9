// y = function(x + bias), plus or times another tensor: one pass over tensors of any length and alignment. With MASK
// also a bit for each element, the side of the function's bend, for the gradient.
#include "common/activations.cuh"
#include "common/broadcast.cuh"
#include "common/early_next.cuh"
#include "common/packed_bits.cuh"
#include "common/tiles.cuh"
#include "expression.cuh"

using namespace wt;

enum class Other : int { kNone, kAdd, kMul, kRead }; // kRead: only an expression uses it

struct Expression {
  static __device__ float value(float x, float bias, float other, const Settings& s) {
    return expression<float>(x, bias, other, s.alpha, s.beta);
  }
};

template <typename T, typename Out, typename Function, Other OTHER, Along BIAS, bool ALIGNED, typename Index, bool MASK,
          int LOADS, int STORES>
struct Chain {
  const T *x, *other;
  Out* y;
  u8* mask;
  i64 n;
  Broadcast<T, BIAS, ALIGNED, Index> bias;
  Settings settings;

  template <int N> struct Loaded { Vec<T, N> x, other, bias; };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.x = wt::load<LOADS, Vec<T, N>>(x + i);
    if constexpr (OTHER != Other::kNone) held.other = wt::load<LOADS, Vec<T, N>>(other + i);
    if constexpr (BIAS != Along::kNone) held.bias = bias.template load<N>(i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float v[N], w[N] = {}, b[N] = {};
    unpack<T, N>(held.x, v);
    if constexpr (OTHER != Other::kNone) unpack<T, N>(held.other, w);
    if constexpr (BIAS != Along::kNone) unpack<T, N>(held.bias, b);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if constexpr (is_same<Function, Expression>)
        v[k] = Function::value(v[k], b[k], w[k], settings);
      else
        v[k] = Function::template value<Out>(BIAS == Along::kNone ? v[k] : v[k] + b[k], settings);
      if constexpr (OTHER == Other::kAdd) v[k] += w[k];
      if constexpr (OTHER == Other::kMul) v[k] *= w[k];
    }
    wt::store<STORES>(y + i, pack<Out, N>(v));
    if constexpr (MASK) {
      PackedBits<1>::store<N>(mask, i, n, active<N>(held), [&](i64 at) {
        Loaded<1> one;
        load<1>(at, one);
        return active<1>(one);
      });
    }
  }
  // A bit for each element.
  template <int N> __device__ __forceinline__ u32 active(const Loaded<N>& held) const {
    float v[N], b[N] = {};
    unpack<T, N>(held.x, v);
    if constexpr (BIAS != Along::kNone) unpack<T, N>(held.bias, b);
    u32 bits = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) bits |= u32(Function::is_active(v[k] + b[k], settings)) << k;
    return bits;
  }
};

// LOADS and STORES: cache hints of vec.cuh. OTHER and BIAS: values of the enums.
template <typename T, typename Out, typename Function, int OTHER, int BIAS, bool ALIGNED, bool WIDE, bool MASK, int VEC,
          int UNROLL, int BLOCK, bool PERSISTENT, int LOADS, int STORES>
__global__ void __launch_bounds__(BLOCK)
    elementwise(const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ other, Out* __restrict__ y,
                u8* __restrict__ mask, float negative_slope, float alpha, float beta, float threshold, float min_val,
                float max_val, i64 n, i64 rows, i64 cols) {
  static_assert(VEC * sizeof(T) <= 16 && VEC * sizeof(Out) <= 16, "a thread's access is at most 16 bytes");
  wt::let_next_start();
  wt::wait_for_earlier_work();
  using Index = typename IndexOf<WIDE>::type;
  const Chain<T, Out, Function, Other(OTHER), Along(BIAS), ALIGNED, Index, MASK, LOADS, STORES> chain{
      x,
      other,
      y,
      mask,
      n,
      {bias, Index(rows), Index(cols)},
      {negative_slope, alpha, beta, threshold, min_val, max_val}};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, chain);
}

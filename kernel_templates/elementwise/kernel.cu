// y = function(x + bias), plus or times another tensor: one pass over tensors of any length and alignment.
#include "common/activations.cuh"
#include "common/broadcast.cuh"
#include "common/tiles.cuh"
#include "expression.cuh"

using namespace wt;

enum class Other : int { kNone, kAdd, kMul, kRead }; // kRead: only an expression uses it

struct Expression {
  static __device__ float value(float x, float bias, float other, const Settings& s) {
    return expression<float>(x, bias, other, s.alpha, s.beta);
  }
};

template <typename T, typename Out, typename Function, Other OTHER, Along BIAS, bool ALIGNED, typename Index, int LOADS,
          int STORES>
struct Chain {
  const T *x, *other;
  Out* y;
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
  }
};

// LOADS and STORES: cache hints of vec.cuh. OTHER and BIAS: values of the enums.
template <typename T, typename Out, typename Function, int OTHER, int BIAS, bool ALIGNED, bool WIDE, int VEC,
          int UNROLL, int BLOCK, bool PERSISTENT, int LOADS, int STORES>
__global__ void __launch_bounds__(BLOCK)
    elementwise(const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ other, Out* __restrict__ y,
                float negative_slope, float alpha, float beta, float threshold, float min_val, float max_val, i64 n,
                i64 rows, i64 cols) {
  static_assert(VEC * sizeof(T) <= 16 && VEC * sizeof(Out) <= 16, "a thread's access is at most 16 bytes");
  using Index = typename IndexOf<WIDE>::type;
  const Chain<T, Out, Function, Other(OTHER), Along(BIAS), ALIGNED, Index, LOADS, STORES> chain{
      x, other, y, {bias, Index(rows), Index(cols)}, {negative_slope, alpha, beta, threshold, min_val, max_val}};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, chain);
}

// y = x times or plus values that are broadcast: one pass over tensors of any length and alignment.
#include "common/tiles.cuh"
#include "values.cuh"

using namespace wt;

enum class Combine : int { kMul, kAdd };

template <typename T, Combine COMBINE, Source SOURCE, bool ALIGNED, typename Index, int LOADS, int STORES>
struct Pairs {
  const T* x;
  T* y;
  Values<T, SOURCE, ALIGNED, Index> values;
  float alpha, number;

  template <int N> struct Loaded { Vec<T, N> x, value; };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.x = wt::load<LOADS, Vec<T, N>>(x + i);
    if constexpr (SOURCE != Source::kNumber) held.value = values.template load<N>(i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float v[N], w[N];
    unpack<T, N>(held.x, v);
    if constexpr (SOURCE != Source::kNumber) unpack<T, N>(held.value, w);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const float value = SOURCE == Source::kNumber ? number : w[k];
      v[k] = COMBINE == Combine::kAdd ? fmaf(alpha, value, v[k]) : v[k] * value;
    }
    wt::store<STORES>(y + i, pack<T, N>(v));
  }
};

// LOADS and STORES: cache hints of vec.cuh. COMBINE and SOURCE: values of the enums.
template <typename T, int COMBINE, int SOURCE, bool ALIGNED, bool WIDE, int VEC, int UNROLL, int BLOCK, bool PERSISTENT,
          int LOADS, int STORES>
__global__ void __launch_bounds__(BLOCK)
    broadcast(const T* __restrict__ x, const T* __restrict__ values, T* __restrict__ y, float alpha, float number,
              i64 n, i64 rows, i64 cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  using Index = typename IndexOf<WIDE>::type;
  const Pairs<T, Combine(COMBINE), Source(SOURCE), ALIGNED, Index, LOADS, STORES> pairs{
      x, y, {values, Index(rows), Index(cols)}, alpha, number};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, pairs);
}

// y = x times or plus values that are broadcast: one pass over tensors of any length and alignment.
#include "common/early.cuh"
#include "common/tiles.cuh"
#include "values.cuh"

using namespace wt;

enum class Combine : int { kMul, kAdd };

template <typename T, Combine COMBINE, Source SOURCE, typename Held, int LOADS, int STORES> struct Pairs {
  const T* x;
  T* y;
  Held values;
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

// LOADS and STORES: cache hints of vec.cuh. COMBINE and SOURCE: values of the enums. QUICK: see values.cuh.
template <typename T, int COMBINE, int SOURCE, bool ALIGNED, bool QUICK, bool WIDE, int VEC, int UNROLL, int BLOCK,
          bool PERSISTENT, int LOADS, int STORES>
__global__ void __launch_bounds__(BLOCK)
    broadcast(const T* __restrict__ x, const T* __restrict__ values, T* __restrict__ y, float alpha, float number,
              i64 n, i64 rows, i64 cols, i64 cols_share, i64 rows_share) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(!QUICK || !WIDE, "reciprocals are for 32-bit indices");
  wt::wait_for_earlier_work();
  using Index = typename IndexOf<WIDE>::type;
  using Held = Values<T, Source(SOURCE), ALIGNED, VEC, QUICK, Index>;
  const Pairs<T, Combine(COMBINE), Source(SOURCE), Held, LOADS, STORES> pairs{
      x, y, {values, Index(rows), Index(cols), u64(cols_share), u64(rows_share)}, alpha, number};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, pairs);
}

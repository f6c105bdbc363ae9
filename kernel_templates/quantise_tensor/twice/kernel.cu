// A tensor with one scale in two launches: the largest magnitude of each block's elements, then the elements, which are
// read again. The second launch begins with those that were read last, because they may still be in the L2.
#include "common/early.cuh"
#include "common/tiles.cuh"
#include "tensor.cuh"

using namespace wt;

template <typename T> struct Search {
  const T* x;
  LargestMagnitude* own;

  template <int N> using Loaded = Vec<T, N>;
  template <int N> __device__ __forceinline__ void load(i64 i, Vec<T, N>& held) const {
    held = wt::load<kDefault, Vec<T, N>>(x + i);
  }
  template <int N> __device__ __forceinline__ void store(i64, const Vec<T, N>& held) const { own->add(held); }
};

template <typename T, int VEC, int UNROLL, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    largest_of_blocks(const T* __restrict__ x, float* __restrict__ magnitudes, i64 n) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  __shared__ BlockExchange<BLOCK> exchange;
  LargestMagnitude own;
  for_each_tile<VEC, UNROLL, BLOCK, true>(n, Search<T>{x, &own});
  own = exchange.merge(own, 0, 0);
  if (threadIdx.x == 0) magnitudes[blockIdx.x] = own.value;
}

template <typename T, typename Q> struct Quantise {
  const T* x;
  Q* y;
  float inverse;

  template <int N> using Loaded = Vec<T, N>;
  template <int N> __device__ __forceinline__ void load(i64 i, Vec<T, N>& held) const {
    held = wt::load<kDefault, Vec<T, N>>(x + i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Vec<T, N>& held) const {
    wt::store<kStreaming>(y + i, quantised<Q>(held, inverse));
  }
};

// Has as many blocks as the launch before it. BACKWARD: from the end of the tensor.
template <typename T, typename Q, int VEC, int UNROLL, int BLOCK, bool BACKWARD>
__global__ void __launch_bounds__(BLOCK)
    quantise_elements(const T* __restrict__ x, const float* __restrict__ magnitudes, Q* __restrict__ y,
                      float* __restrict__ scale, float least_scale, i64 n) {
  __shared__ BlockExchange<BLOCK> exchange;
  LargestMagnitude all;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) all.merge({magnitudes[i]});
  const float of_all = scale_of(exchange.merge(all, 0, 0), largest<Q>, least_scale);
  if (blockIdx.x == 0 && threadIdx.x == 0) *scale = of_all;
  const Quantise<T, Q> work{x, y, 1 / of_all};
  if constexpr (BACKWARD) {
    constexpr i64 kTile = i64(BLOCK) * VEC * UNROLL;
    const i64 tiles = ceil_div(n, kTile);
    for (i64 tile = tiles - 1 - blockIdx.x; tile >= 0; tile -= gridDim.x) {
      const i64 first = tile * kTile + threadIdx.x * VEC;
      if ((tile + 1) * kTile <= n) {
        do_tile<true, VEC, UNROLL, BLOCK>(first, n, work);
      } else {
        do_tile<false, VEC, UNROLL, BLOCK>(first, n, work);
        do_tile<false, 1, 1, BLOCK>(n - n % VEC + threadIdx.x, n, work);
      }
    }
  } else {
    for_each_tile<VEC, UNROLL, BLOCK, true>(n, work);
  }
}

// y = alpha * x + y. Three streams of memory and one FMA an element: the only question is how to keep enough
// bytes in flight. A block covers tiles of BLOCK * VEC * UNROLL elements; all loads of a tile are issued
// before the first use.
#include "common/vec.cuh"

template <typename T, int VEC, int UNROLL, int BLOCK, bool PERSISTENT, int HINT>
__global__ void __launch_bounds__(BLOCK) axpy(const T* __restrict__ x, T* __restrict__ y, float alpha, i64 n) {
  static_assert(VEC >= 1 && VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is a number of warps, at most 1024 threads");
  static_assert(VEC * sizeof(T) * UNROLL <= 128, "more than 128 bytes of x a thread spill or gain nothing");
  using V = wt::Vec<T, VEC>;
  constexpr i64 kTile = i64(BLOCK) * VEC * UNROLL;

  for (i64 begin = blockIdx.x * kTile; begin < n; begin += gridDim.x * kTile) {
    const i64 first = begin + threadIdx.x * VEC;
    if (begin + kTile <= n) {
      V xs[UNROLL], ys[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        xs[u] = wt::load<HINT, V>(x + first + u * BLOCK * VEC);
        ys[u] = wt::load<HINT, V>(y + first + u * BLOCK * VEC);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float a[VEC], b[VEC];
        wt::unpack<T, VEC>(xs[u], a);
        wt::unpack<T, VEC>(ys[u], b);
#pragma unroll
        for (int i = 0; i < VEC; ++i) b[i] = fmaf(alpha, a[i], b[i]);
        wt::store<HINT>(y + first + u * BLOCK * VEC, wt::pack<T, VEC>(b));
      }
    } else { // the last tile: whole vectors, then the elements after the last whole vector
      const i64 vectors_end = n - n % VEC;
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        const i64 i = first + u * BLOCK * VEC;
        if (i < vectors_end) {
          float a[VEC], b[VEC];
          wt::unpack<T, VEC>(wt::load<HINT, V>(x + i), a);
          wt::unpack<T, VEC>(wt::load<HINT, V>(y + i), b);
#pragma unroll
          for (int k = 0; k < VEC; ++k) b[k] = fmaf(alpha, a[k], b[k]);
          wt::store<HINT>(y + i, wt::pack<T, VEC>(b));
        }
      }
      const i64 i = vectors_end + threadIdx.x;
      if (i < n) y[i] = wt::from_float<T>(fmaf(alpha, wt::to_float(x[i]), wt::to_float(y[i])));
    }
    if constexpr (!PERSISTENT) break;
  }
}

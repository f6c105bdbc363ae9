// Elements of tensors without a shape, in tiles: a block covers BLOCK * VEC * UNROLL neighbours, and a thread issues
// all loads of a tile before the first use. What is loaded, computed and stored is the caller's.
#pragma once

#include "common/vec.cuh"

namespace wt {

// FULL: all vectors of the tile exist. `first` is the thread's first element.
template <bool FULL, int VEC, int UNROLL, int BLOCK, typename Work>
__device__ __forceinline__ void do_tile(i64 first, i64 n, const Work& work) {
  typename Work::template Loaded<VEC> held[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 i = first + u * BLOCK * VEC;
    if (FULL || i + VEC <= n) work.load(i, held[u]);
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 i = first + u * BLOCK * VEC;
    if (FULL || i + VEC <= n) work.store(i, held[u]);
  }
}

// `work` has a type Loaded<N>, what it holds of N neighbours, and the members load(i, Loaded<N>&) and store(i,
// Loaded<N>&) for the elements from i on, with N = VEC, where i is a multiple of VEC, and N = 1.
template <int VEC, int UNROLL, int BLOCK, bool PERSISTENT, typename Work>
__device__ __forceinline__ void for_each_tile(i64 n, const Work& work) {
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is a number of warps, at most 1024 threads");
  constexpr i64 kTile = i64(BLOCK) * VEC * UNROLL;
  for (i64 begin = blockIdx.x * kTile; begin < n; begin += gridDim.x * kTile) {
    const i64 first = begin + threadIdx.x * VEC;
    if (begin + kTile <= n) {
      do_tile<true, VEC, UNROLL, BLOCK>(first, n, work);
    } else { // the last tile: whole vectors, then the elements after the last whole vector
      do_tile<false, VEC, UNROLL, BLOCK>(first, n, work);
      do_tile<false, 1, 1, BLOCK>(n - n % VEC + threadIdx.x, n, work);
    }
    if constexpr (!PERSISTENT) break;
  }
}

} // namespace wt

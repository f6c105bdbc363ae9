// One tile of n elements, for kernels that choose the order of their tiles themselves. for_each_tile (tiles.cuh) does the
// same in its loop; it can use this once the elementwise operators, whose sources it belongs to, are recorded again.
#pragma once

#include "common/tiles.cuh"

namespace wt {

// `work` is as for for_each_tile.
template <int VEC, int UNROLL, int BLOCK, typename Work>
__device__ __forceinline__ void do_one_tile(i64 tile, i64 n, const Work& work) {
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is a number of warps, at most 1024 threads");
  constexpr i64 kTile = i64(BLOCK) * VEC * UNROLL;
  const i64 first = tile * kTile + threadIdx.x * VEC;
  if ((tile + 1) * kTile <= n) {
    do_tile<true, VEC, UNROLL, BLOCK>(first, n, work);
  } else { // the last tile: whole vectors, then the elements after the last whole vector
    do_tile<false, VEC, UNROLL, BLOCK>(first, n, work);
    do_tile<false, 1, 1, BLOCK>(n - n % VEC + threadIdx.x, n, work);
  }
}

} // namespace wt

// TMA reads rows that begin at multiples of 16 bytes: a copy of a matrix whose rows do not.
#pragma once

#include "common/prelude.cuh"

// `rows` rows of `width` elements, `lead` apart, to rows that are the next multiple of 8 elements apart. A thread moves 8.
template <typename T> __global__ void align_rows(const T* __restrict__ from, T* __restrict__ to, i64 rows, int width, int lead) {
  static_assert(sizeof(T) == 2);
  const int chunks = wt::ceil_div(width, 8);
  const i64 all = rows * chunks, step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += step) {
    const i64 row = i / chunks;
    const int first = int(i - row * chunks) * 8;
    const u16* const source = reinterpret_cast<const u16*>(from) + row * lead + first;
    u32 words[4] = {};
#pragma unroll
    for (int e = 0; e < 8; ++e)
      if (first + e < width) words[e / 2] |= u32(source[e]) << (e % 2 * 16);
    reinterpret_cast<uint4*>(to)[i] = make_uint4(words[0], words[1], words[2], words[3]);
  }
}

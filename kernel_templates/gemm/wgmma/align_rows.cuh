// TMA reads rows that begin at multiples of 16 bytes, and fetches whole cache lines of 128: a copy of a matrix whose rows begin elsewhere.
#pragma once

#include "common/async.cuh"
#include "common/prelude.cuh"

// `rows` rows of `width` elements, `lead` apart, to rows `to_lead` apart, a multiple of 8. A thread moves 8. What is launched
// after it may start at once and waits for its end, which is not before that of the copy launched before it.
template <typename T>
__global__ void align_rows(const T* __restrict__ from, T* __restrict__ to, i64 rows, int width, int lead, int to_lead) {
  static_assert(sizeof(T) == 2);
  wt::launch_dependents();
  const int chunks = wt::ceil_div(width, 8);
  const bool by_chunks = lead % 8 == 0 && reinterpret_cast<u64>(from) % 16 == 0;
  const i64 all = rows * chunks, step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += step) {
    const i64 row = i / chunks;
    const int first = int(i - row * chunks) * 8;
    const u16* const source = reinterpret_cast<const u16*>(from) + row * lead + first;
    uint4 eight = make_uint4(0, 0, 0, 0);
    if (by_chunks && first + 8 <= width) {
      eight = *reinterpret_cast<const uint4*>(source);
    } else {
      u32 words[4] = {};
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (first + e < width) words[e / 2] |= u32(source[e]) << (e % 2 * 16);
      eight = make_uint4(words[0], words[1], words[2], words[3]);
    }
    *reinterpret_cast<uint4*>(reinterpret_cast<u16*>(to) + row * to_lead + first) = eight;
  }
  wt::wait_for_predecessor();
}

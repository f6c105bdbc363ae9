// Sorts keys that the lanes of a warp hold, the largest first.
#pragma once

#include "sorted.cuh"

// A bitonic sort of 32 * N keys. Key i is in register i / 32 of lane i % 32.
template <typename Key, int N> __device__ __forceinline__ void sort_in_warp(Key (&keys)[N], int lane) {
  static_assert(wt::is_pow2(N), "halves are merged");
#pragma unroll
  for (int size = 1; size <= 5 + wt::log2_floor(N); ++size) {
#pragma unroll
    for (int distance = size - 1; distance >= 0; --distance) {
#pragma unroll
      for (int r = 0; r < N; ++r) {
        if (distance < 5) {
          const bool is_falling = ((size < 5 ? lane >> size : r >> (size - 5)) & 1) == 0;
          const bool is_first = (lane >> distance & 1) == 0;
          const Key other = __shfl_xor_sync(0xffffffffu, keys[r], 1 << distance);
          keys[r] = is_first == is_falling ? max(keys[r], other) : min(keys[r], other);
        } else if (const int partner = r + (1 << (distance - 5)); (r >> (distance - 5) & 1) == 0) {
          if ((r >> (size - 5) & 1) == 0)
            put_in_order(keys[r], keys[partner]);
          else
            put_in_order(keys[partner], keys[r]);
        }
      }
    }
  }
}

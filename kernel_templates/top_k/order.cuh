// The order of elements as integers: a larger key comes earlier. NaN counts as the largest number, as in torch.topk; -0
// equals 0; of equal numbers the one with the lower index comes first, so that all keys of a row differ.
#pragma once

#include "common/vec.cuh"

// For numbers only; 0 belongs to a NaN where the smallest come first.
template <bool LARGEST> __device__ __forceinline__ u32 key_of(float x) {
  const u32 bits = __float_as_uint(x + 0.0f); // -0 becomes 0
  const u32 key = x != x ? ~0u : bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return LARGEST ? key : ~key;
}
template <bool LARGEST> __device__ __forceinline__ float number_of(u32 key) {
  if (!LARGEST) key = ~key;
  return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}
// The bits of key_of that differ among numbers of T.
template <typename T> inline constexpr int kLowestBit = wt::is_same<T, float> ? 0 : wt::is_same<T, __half> ? 13 : 16;

__device__ __forceinline__ u64 place_of(u32 key, int index) { return u64(key) << 32 | ~static_cast<u32>(index); }
__device__ __forceinline__ u32 key_at(u64 place) { return static_cast<u32>(place >> 32); }
__device__ __forceinline__ int index_at(u64 place) { return static_cast<int>(~static_cast<u32>(place)); }

// Pairs of numbers that blocks of one launch give each other through the device's memory, where all blocks run at the
// same time. A pair is one word, which is 0 until it is there: no other flag, so the exchange takes one trip.
#pragma once

#include "common/prelude.cuh"

namespace wt {

__device__ __forceinline__ u64 word_of(float2 pair) {
  const u64 word = u64(__float_as_uint(pair.y)) << 32 | __float_as_uint(pair.x);
  return word == 0 ? 0x80000000u : word; // -0 for 0
}
__device__ __forceinline__ float2 pair_of(u64 word) {
  return make_float2(__uint_as_float(static_cast<u32>(word)), __uint_as_float(static_cast<u32>(word >> 32)));
}

__device__ __forceinline__ void give_pair(u64* place, float2 pair) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(place), "l"(word_of(pair)) : "memory");
}
// Waits for it.
__device__ __forceinline__ float2 take_pair(const u64* place) {
  u64 word;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
  } while (word == 0);
  return pair_of(word);
}

} // namespace wt

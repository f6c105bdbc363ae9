// Vectors of int4, two numbers in a byte: the first one in the lower half. From floats, and to floats.
#pragma once

#include "common/ptx_int4.cuh"
#include "common/vec.cuh"

namespace wt {

// The numbers that one word of 32 bits holds, or all if there are fewer.
template <int N> inline constexpr int kInt4OfWord = N < 8 ? N : 8;

// To nearest even; what is too large becomes 7 or -8, and NaN 0.
template <int N> __device__ __forceinline__ Vec<u8, N / 2> pack_int4(const float (&v)[N]) {
  static_assert(N % 2 == 0, "two numbers are a byte");
  constexpr int kOfWord = kInt4OfWord<N>;
  Vec<u8, N / 2> out;
#pragma unroll
  for (int i = 0; i < N; i += kOfWord) {
    u32 bits = 0;
#pragma unroll
    for (int k = kOfWord - 2; k >= 0; k -= 2) bits = pack_int4_pair(v[i + k], v[i + k + 1], bits);
    if constexpr (kOfWord == 8) {
      reinterpret_cast<u32*>(&out)[i / 8] = bits;
    } else {
#pragma unroll
      for (int k = 0; k < kOfWord / 2; ++k) out.v[k] = static_cast<u8>(bits >> (8 * k));
    }
  }
  return out;
}

// A number plus 8, as the lowest bits of the float 2^23, is exact, so that two instructions make a float of it.
template <int N> __device__ __forceinline__ void unpack_int4(const Vec<u8, N / 2>& in, float (&v)[N]) {
  constexpr int kOfWord = kInt4OfWord<N>;
#pragma unroll
  for (int i = 0; i < N; i += kOfWord) {
    u32 bits = 0;
    if constexpr (kOfWord == 8) {
      bits = reinterpret_cast<const u32*>(&in)[i / 8];
    } else {
#pragma unroll
      for (int k = 0; k < kOfWord / 2; ++k) bits |= static_cast<u32>(in.v[k]) << (8 * k);
    }
#pragma unroll
    for (int k = 0; k < kOfWord; ++k)
      v[i + k] = __uint_as_float((bits >> (4 * k) & 15) ^ 0x4b000008u) - 8388616.0f;
  }
}

} // namespace wt

// A few bits for each element of a tensor, such as the side of a bend that it is on. They are packed from the lowest bit
// of a byte on: those of element i begin at bit i * BITS % 8 of byte i * BITS / 8. A gradient that needs no more reads
// them instead of the tensor.
#pragma once

#include "common/vec.cuh"

namespace wt {

template <int BITS> struct PackedBits {
  static_assert(is_pow2(BITS) && BITS < 8, "a byte holds whole elements");
  static constexpr int kPerByte = 8 / BITS;
  template <int N> using Whole = Vec<u8, N * BITS / 8>;

  // Of the N elements from i on, where i is a multiple of N, a power of two: the first one's are the lowest. Higher bits
  // may be set.
  template <int N> static __device__ __forceinline__ u32 load(const u8* packed, i64 i) {
    if constexpr (N < kPerByte) {
      return static_cast<u32>(packed[i / kPerByte]) >> (static_cast<int>(i % kPerByte) * BITS);
    } else {
      const Whole<N> bytes = wt::load<kDefault, Whole<N>>(packed + i / kPerByte);
      u32 bits = 0;
#pragma unroll
      for (int k = 0; k < N / kPerByte; ++k) bits |= static_cast<u32>(bytes.v[k]) << (8 * k);
      return bits;
    }
  }

  // Stores `bits` of the N elements from i on. Neighbouring lanes have neighbouring elements; where several share a
  // byte, the first one stores it. In the last byte of `n` elements some may be missing, so that the first one takes
  // all bits from of(element).
  template <int N, typename Of>
  static __device__ __forceinline__ void store(u8* packed, i64 i, i64 n, u32 bits, const Of& of) {
    if constexpr (N < kPerByte) {
      constexpr int kLanes = kPerByte / N;
      const i64 first = i - i % kPerByte;
      const bool is_first = i == first;
      if (first + kPerByte <= n) {
        const u32 members = ((1u << kLanes) - 1) << (threadIdx.x % 32 / kLanes * kLanes);
#pragma unroll
        for (int lanes = 1; lanes < kLanes; lanes *= 2)
          bits |= __shfl_xor_sync(members, bits, lanes) << (lanes * N * BITS); // of use in the first lane
      } else if (is_first) {
        bits = 0;
#pragma unroll 1
        for (i64 at = first; at < n; ++at) bits |= of(at) << (static_cast<int>(at - first) * BITS);
      }
      if (is_first) packed[i / kPerByte] = static_cast<u8>(bits);
    } else {
      Whole<N> bytes;
#pragma unroll
      for (int k = 0; k < N / kPerByte; ++k) bytes.v[k] = static_cast<u8>(bits >> (8 * k));
      wt::store<kDefault>(packed + i / kPerByte, bytes);
    }
  }
};

} // namespace wt

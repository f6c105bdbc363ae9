// Vectors of int8 and fp8 to floats, a word of four numbers at a time: byte by byte, the extraction of a number and its
// conversion take several instructions, and an int8 waits for the slow conversion unit.
#pragma once

#include "common/vec.cuh"

namespace wt {

// Exact; NaN stays NaN.
template <typename Q, int N> __device__ __forceinline__ void widen(const Vec<Q, N>& in, float (&out)[N]) {
  static_assert(sizeof(Q) == 1 && N % 4 == 0, "four numbers are one word");
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const u32 word = reinterpret_cast<const u32*>(&in)[i / 4];
    if constexpr (is_same<Q, signed char>) {
      // A number plus 128 is a byte from 0 to 255. As the lowest byte of the float 2^23, it is added to this float.
      const u32 bytes = word ^ 0x80808080u;
#pragma unroll
      for (int k = 0; k < 4; ++k)
        out[i + k] = __uint_as_float(__byte_perm(bytes, 0x4b000000u, 0x7540 + k)) - (8388608.0f + 128.0f);
    } else {
      constexpr __nv_fp8_interpretation_t kType = is_same<Q, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;
#pragma unroll
      for (int k = 0; k < 4; k += 2) {
        const __half2_raw pair = __nv_cvt_fp8x2_to_halfraw2(static_cast<u16>(word >> (8 * k)), kType);
        const float2 both = __half22float2(__half2(pair));
        out[i + k] = both.x;
        out[i + k + 1] = both.y;
      }
    }
  }
}

} // namespace wt

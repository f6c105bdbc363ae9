// Floats rounded to 8 bits: int8 (NaN becomes 0) and the two fp8 types. To nearest even; what is too large becomes the
// largest number.
#pragma once

#include "common/ptx_numbers.cuh"
#include "common/vec.cuh"

namespace wt {

// The largest magnitude; -128 is not used, so that quantised numbers are symmetric.
template <typename Q> inline constexpr float largest = 127.0f;
template <> inline constexpr float largest<__nv_fp8_e4m3> = 448.0f;
template <> inline constexpr float largest<__nv_fp8_e5m2> = 57344.0f;

// NaN stays NaN.
template <typename Q> __device__ __forceinline__ u32 pack_fp8(const float* v) {
  constexpr __nv_fp8_interpretation_t kType = is_same<Q, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;
  const u32 lower = __nv_cvt_float2_to_fp8x2(make_float2(v[0], v[1]), __NV_SATFINITE, kType);
  const u32 upper = __nv_cvt_float2_to_fp8x2(make_float2(v[2], v[3]), __NV_SATFINITE, kType);
  return lower | upper << 16;
}

template <typename Q, int N> __device__ __forceinline__ Vec<Q, N> narrow(const float (&v)[N]) {
  static_assert(N % 4 == 0 && sizeof(Q) == 1, "four numbers are one word");
  Vec<Q, N> out;
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    if constexpr (is_same<Q, signed char>)
      reinterpret_cast<u32*>(&out)[i / 4] = pack_int8(v[i], v[i + 1], v[i + 2], v[i + 3]);
    else
      reinterpret_cast<u32*>(&out)[i / 4] = pack_fp8<Q>(v + i);
  }
  return out;
}

} // namespace wt

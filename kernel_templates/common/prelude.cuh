// What every template needs before its first line: short integer names, the tensor-map type, the narrow
// dtypes and their conversions. NVRTC compiles no host header (cuda.h, stdint.h and type_traits all fail), so
// the few things that a kernel would take from them are here. Knows nothing about any operator.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

// Same size and alignment as CUtensorMap, which lives in cuda.h. Pass as `const __grid_constant__ TensorMap`.
struct alignas(64) TensorMap {
  u64 o[16];
};

namespace wt {

template <typename A, typename B> inline constexpr bool is_same = false;
template <typename A> inline constexpr bool is_same<A, A> = true;

template <typename I> __host__ __device__ constexpr I ceil_div(I a, I b) { return (a + b - 1) / b; }
__host__ __device__ constexpr bool is_pow2(i64 a) { return a > 0 && (a & (a - 1)) == 0; }
__host__ __device__ constexpr int log2_floor(int a) { return a <= 1 ? 0 : 1 + log2_floor(a / 2); }

// Conversions with one name for every dtype. To float and to double is exact for the narrow types; from_*
// rounds to nearest even.
template <typename T> __device__ __forceinline__ float to_float(T x) { return static_cast<float>(x); }
template <typename T> __device__ __forceinline__ double to_double(T x) {
  if constexpr (sizeof(T) <= 2)
    return static_cast<double>(static_cast<float>(x));
  else
    return static_cast<double>(x);
}
template <typename T> __device__ __forceinline__ T from_float(float x) {
  if constexpr (is_same<T, __half>)
    return __float2half_rn(x);
  else if constexpr (is_same<T, __nv_bfloat16>)
    return __float2bfloat16_rn(x);
  else
    return static_cast<T>(x);
}
// Straight from double: going through float first would round twice.
template <typename T> __device__ __forceinline__ T from_double(double x) {
  if constexpr (is_same<T, __half>)
    return __double2half(x);
  else if constexpr (is_same<T, __nv_bfloat16>)
    return __double2bfloat16(x);
  else
    return static_cast<T>(x);
}

// Two neighbours at once: one instruction converts a pair of 16-bit values, where two singles cost three.
template <typename T> __device__ __forceinline__ u32 pack2(float low, float high) {
  static_assert(sizeof(T) == 2);
  u32 bits;
  if constexpr (is_same<T, __half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
template <typename T> __device__ __forceinline__ float2 unpack2(u32 bits) {
  static_assert(sizeof(T) == 2);
  if constexpr (is_same<T, __half>) {
    return __half22float2(*reinterpret_cast<const __half2*>(&bits));
  } else { // bf16 is the upper half of a float: a shift and a mask
    return make_float2(__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000u));
  }
}

} // namespace wt

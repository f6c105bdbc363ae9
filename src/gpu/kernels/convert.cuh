// Element types by their C++ names, to and from double, for the utility kernels. WT_T and the like are set with -D.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

typedef long long i64;
typedef unsigned long long u64;

template <class T> struct IsInteger { static const bool value = true; };
template <> struct IsInteger<double> { static const bool value = false; };
template <> struct IsInteger<float> { static const bool value = false; };
template <> struct IsInteger<__half> { static const bool value = false; };
template <> struct IsInteger<__nv_bfloat16> { static const bool value = false; };
template <> struct IsInteger<__nv_fp8_e4m3> { static const bool value = false; };
template <> struct IsInteger<__nv_fp8_e5m2> { static const bool value = false; };

template <class T> __device__ double to_double(T x) { return (double)x; }
template <> __device__ inline double to_double(__half x) { return (double)__half2float(x); }
template <> __device__ inline double to_double(__nv_bfloat16 x) { return (double)__bfloat162float(x); }
template <> __device__ inline double to_double(__nv_fp8_e4m3 x) { return (double)(float)x; }
template <> __device__ inline double to_double(__nv_fp8_e5m2 x) { return (double)(float)x; }

template <class T> struct From { __device__ static T number(double x) { return (T)llrint(x); } };
template <> struct From<bool> { __device__ static bool number(double x) { return x != 0; } };
template <> struct From<double> { __device__ static double number(double x) { return x; } };
template <> struct From<float> { __device__ static float number(double x) { return (float)x; } };
template <> struct From<__half> { __device__ static __half number(double x) { return __double2half(x); } };
template <> struct From<__nv_bfloat16> {
  __device__ static __nv_bfloat16 number(double x) { return __double2bfloat16(x); }
};
template <> struct From<__nv_fp8_e4m3> {
  __device__ static __nv_fp8_e4m3 number(double x) { return __nv_fp8_e4m3(x); }
};
template <> struct From<__nv_fp8_e5m2> {
  __device__ static __nv_fp8_e5m2 number(double x) { return __nv_fp8_e5m2(x); }
};

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose output bits all depend on all input bits.
__device__ inline u64 mix(u64 x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Of every `stride` elements, the first `length` belong to the buffer; the others are gaps (BufferRows of the host).
struct Rows {
  i64 length, stride;
  // The place of element i, if elements are counted without the gaps.
  __device__ i64 place(i64 i) const { return length == stride ? i : i / length * stride + i % length; }
};

__device__ inline i64 first_index() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline i64 index_step() { return (i64)gridDim.x * blockDim.x; }

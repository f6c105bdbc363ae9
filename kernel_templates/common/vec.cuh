// Vectors of 1 to 16 bytes, moved with one instruction, and the cache hints that a streaming kernel can put
// on it. A 16-byte access a thread is the widest that sm_90 has; everything narrower exists for unaligned
// (ragged) shapes.
#pragma once

#include "common/prelude.cuh"

namespace wt {

template <typename T, int N> struct alignas(sizeof(T) * N) Vec {
  static_assert(is_pow2(N) && sizeof(T) * N <= 16, "one instruction moves 1, 2, 4, 8 or 16 bytes");
  T v[N];
};

// Cache hints. Data that is touched once gains nothing from a cache; whether telling so helps is for the
// tuner to find.
enum Hint : int {
  kDefault = 0,
  kStreaming = 1,   // .cs: first to be evicted, L1 and L2
  kNoAllocate = 2,  // L1::no_allocate on loads; stores do not allocate in L1 anyway
  kPrefetch256 = 3, // the L2 may fetch the 256-byte neighbourhood of a load
};

// asm volatile + "memory" is left out of loads on purpose: the compiler shall move them up and batch them. Do
// not use these on data that another thread of the same launch writes.
template <int HINT, typename V> __device__ __forceinline__ V load(const void* address) {
  V value;
  if constexpr (sizeof(V) == 16) {
    uint4 r;
    if constexpr (HINT == kStreaming)
      asm("ld.global.cs.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(address));
    else if constexpr (HINT == kNoAllocate)
      asm("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
          : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
          : "l"(address));
    else if constexpr (HINT == kPrefetch256)
      asm("ld.global.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(address));
    else
      r = *static_cast<const uint4*>(address);
    *reinterpret_cast<uint4*>(&value) = r;
  } else if constexpr (sizeof(V) == 8) {
    uint2 r;
    if constexpr (HINT == kStreaming)
      asm("ld.global.cs.v2.u32 {%0,%1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(address));
    else if constexpr (HINT == kNoAllocate)
      asm("ld.global.L1::no_allocate.v2.u32 {%0,%1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(address));
    else if constexpr (HINT == kPrefetch256)
      asm("ld.global.L2::256B.v2.u32 {%0,%1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(address));
    else
      r = *static_cast<const uint2*>(address);
    *reinterpret_cast<uint2*>(&value) = r;
  } else if constexpr (sizeof(V) == 4) {
    u32 r;
    if constexpr (HINT == kStreaming)
      asm("ld.global.cs.u32 %0, [%1];" : "=r"(r) : "l"(address));
    else if constexpr (HINT == kNoAllocate)
      asm("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(r) : "l"(address));
    else if constexpr (HINT == kPrefetch256)
      asm("ld.global.L2::256B.u32 %0, [%1];" : "=r"(r) : "l"(address));
    else
      r = *static_cast<const u32*>(address);
    *reinterpret_cast<u32*>(&value) = r;
  } else if constexpr (sizeof(V) == 2) {
    u16 r;
    if constexpr (HINT == kStreaming)
      asm("ld.global.cs.u16 %0, [%1];" : "=h"(r) : "l"(address));
    else if constexpr (HINT == kNoAllocate)
      asm("ld.global.L1::no_allocate.u16 %0, [%1];" : "=h"(r) : "l"(address));
    else
      r = *static_cast<const u16*>(address);
    *reinterpret_cast<u16*>(&value) = r;
  } else {
    value = *static_cast<const V*>(address);
  }
  return value;
}

template <int HINT, typename V> __device__ __forceinline__ void store(void* address, const V& value) {
  if constexpr (sizeof(V) == 16) {
    const uint4 r = *reinterpret_cast<const uint4*>(&value);
    if constexpr (HINT == kStreaming)
      asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(address), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w)
                   : "memory");
    else
      *static_cast<uint4*>(address) = r;
  } else if constexpr (sizeof(V) == 8) {
    const uint2 r = *reinterpret_cast<const uint2*>(&value);
    if constexpr (HINT == kStreaming)
      asm volatile("st.global.cs.v2.u32 [%0], {%1,%2};" ::"l"(address), "r"(r.x), "r"(r.y) : "memory");
    else
      *static_cast<uint2*>(address) = r;
  } else if constexpr (sizeof(V) == 4) {
    const u32 r = *reinterpret_cast<const u32*>(&value);
    if constexpr (HINT == kStreaming)
      asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(address), "r"(r) : "memory");
    else
      *static_cast<u32*>(address) = r;
  } else {
    *static_cast<V*>(address) = value;
  }
}

// Vectors of a dtype to and from floats. 16-bit types go in pairs.
template <typename T, int N> __device__ __forceinline__ void unpack(const Vec<T, N>& in, float (&out)[N]) {
  if constexpr (sizeof(T) == 2 && N % 2 == 0) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      const float2 pair = unpack2<T>(reinterpret_cast<const u32*>(&in)[i]);
      out[2 * i] = pair.x;
      out[2 * i + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) out[i] = to_float(in.v[i]);
  }
}
template <typename T, int N> __device__ __forceinline__ Vec<T, N> pack(const float (&in)[N]) {
  Vec<T, N> out;
  if constexpr (sizeof(T) == 2 && N % 2 == 0) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) reinterpret_cast<u32*>(&out)[i] = pack2<T>(in[2 * i], in[2 * i + 1]);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) out.v[i] = from_float<T>(in[i]);
  }
  return out;
}

} // namespace wt

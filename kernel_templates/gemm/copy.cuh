// cp.async of 4, 8 or 16 bytes that can fill its destination with zeros instead.
#pragma once

#include "common/async.cuh"
#include "common/cp_async.cuh"

// The first `bytes` of BYTES; the rest of the destination becomes zero. Where `bytes` is 0, `global` may lie outside its buffer.
template <int BYTES> __device__ __forceinline__ void copy_first(u32 shared, const void* global, int bytes) {
  if constexpr (BYTES == 16) // past L1: a block reads a slice once
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global), "n"(BYTES), "r"(bytes) : "memory");
}

// With `inside` false nothing is read, so `global` may lie outside its buffer. ALWAYS says that it is never false.
template <int BYTES, bool ALWAYS> __device__ __forceinline__ void copy_or_zero(u32 shared, const void* global, bool inside) {
  if constexpr (ALWAYS)
    wt::async_copy<BYTES>(shared, global);
  else
    copy_first<BYTES>(shared, global, inside ? BYTES : 0);
}

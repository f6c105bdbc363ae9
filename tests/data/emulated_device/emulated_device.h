// Runs a GPU's blocks on the host, for kernels compiled by a host compiler. Each CUDA thread is a fiber, so shuffles
// and barriers work. Shared memory is memory of the block's thread. Races stay hidden, because fibers run in a fixed
// order.
#pragma once

#include "fibers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>
#include <utility>
#include <vector>

#undef __device__
#undef __global__
#undef __shared__
#undef __forceinline__
#undef __launch_bounds__
#undef __align__
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ thread_local

using std::isinf;
using std::isnan;
using std::max;
using std::min;

namespace emulated {

template <class... Params, std::size_t... I>
void call(void (*kernel)(Params...), void** args, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<Params>*>(args[I])...);
}

// `args` points to the values of the kernel's parameters. `grid`: x, y and z.
template <class... Params>
void launch(void (*kernel)(Params...), void** args, const unsigned* grid, int threads, int cluster_blocks) {
  struct Call {
    void (*kernel)(Params...);
    void** args;
  } of_all{kernel, args};
  const auto body = [](void* arguments) {
    const Call& own = *static_cast<Call*>(arguments);
    call(own.kernel, own.args, std::index_sequence_for<Params...>());
  };
  run_grid(body, &of_all, grid, threads, cluster_blocks);
}

} // namespace emulated

#define threadIdx (uint3{static_cast<unsigned>(emulated::block->thread), 0, 0})
#define blockIdx (emulated::block->index)
#define gridDim (emulated::block->grid)
#define blockDim (uint3{static_cast<unsigned>(emulated::block->threads), 1, 1})

inline void __syncthreads() { emulated::meet(emulated::block->meeting, emulated::block->threads); }

template <class T> unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  static_assert(sizeof value <= sizeof bits);
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
// Returns the value of another lane of the warp. All lanes in `members` must call this function.
template <class T> T value_of_lane(unsigned members, T value, int from) {
  const unsigned long long bits = emulated::bits_of_lane(members, bits_of(value), from);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> T __shfl_xor_sync(unsigned members, T value, int mask) {
  return value_of_lane(members, value, emulated::block->thread % 32 ^ mask);
}
template <class T> T __shfl_up_sync(unsigned members, T value, int offset, int width) {
  const int lane = emulated::block->thread % 32;
  return value_of_lane(members, value, lane % width < offset ? lane : lane - offset);
}
template <class T> T __shfl_sync(unsigned members, T value, int from, int width) {
  const int lane = emulated::block->thread % 32;
  return value_of_lane(members, value, lane - lane % width + from);
}
// One bit for each lane of a warp whose value is the same.
template <class T> unsigned __match_any_sync(unsigned members, T value) {
  return emulated::equal_lanes(members, bits_of(value));
}
inline unsigned __ballot_sync(unsigned members, bool is_set) {
  const unsigned alike = __match_any_sync(members, is_set);
  return is_set ? alike : members & ~alike;
}

inline void __syncwarp() { emulated::bits_of_lane(~0u, 0, 0); }
// Of lanes that run together, which here nothing waits for.
inline unsigned __activemask() { return ~0u; }
inline void __syncwarp(unsigned) {}
inline unsigned __reduce_add_sync(unsigned, unsigned value) { return emulated::sum_of_lanes(value); }
inline unsigned __reduce_min_sync(unsigned, unsigned value) { return emulated::least_of_lanes(value); }
inline unsigned __reduce_max_sync(unsigned, unsigned value) { return ~emulated::least_of_lanes(~value); }
// The fibers of a block run one at a time.
inline int atomicAdd(int* address, int value) { return std::exchange(*address, *address + value); }
inline int atomicExch(int* address, int value) { return std::exchange(*address, value); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (bits & 31));
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(unsigned bits) { return bits == 0 ? 32 : __builtin_clz(bits); }

template <class T> T __ldg(const T* address) {
  emulated::check_inside(address, sizeof(T));
  return *address;
}
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __fmul_rn(float a, float b) {
  const volatile float product = a * b; // not fused into a multiply-add
  return product;
}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __int_as_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long all = static_cast<unsigned long long>(b) << 32 | a;
  unsigned bytes = 0;
  for (int i = 0; i < 4; ++i) bytes |= static_cast<unsigned>(all >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
  return bytes;
}

// Device code compiled for the host: one thread runs the whole grid. Use it for kernels that stride over the grid, or
// that work with one block of one thread.
#pragma once

#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#undef __global__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)

namespace warptune::test {

struct HostIndex {
  unsigned x = 0, y = 0, z = 0;
};

} // namespace warptune::test

inline thread_local warptune::test::HostIndex threadIdx, blockIdx;
inline thread_local warptune::test::HostIndex blockDim{1, 1, 1}, gridDim{1, 1, 1};

using std::isinf;
using std::isnan;

inline double __longlong_as_double(long long bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline void __syncthreads() {}
inline unsigned long long __shfl_down_sync(unsigned, unsigned long long, int) { return 0; }
inline void atomicAdd(unsigned long long* to, unsigned long long x) { *to += x; }
inline void atomicMin(unsigned long long* to, unsigned long long x) { *to = x < *to ? x : *to; }
inline float cospif(float x) { return std::cos(3.14159265f * x); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}

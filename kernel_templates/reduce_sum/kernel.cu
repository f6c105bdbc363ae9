// The sum of n elements, in two steps with a fixed order of additions, so that the result is the same bits
// each time: no floating-point atomics. Step one gives each block its share of the tensor and one partial
// sum; step two adds the partial sums, in a second launch or in whichever block of step one finishes last.
#include "common/async.cuh"
#include "common/reduce.cuh"
#include "common/vec.cuh"

enum Finish : int {
  kTwoLaunches = 0,
  kDependentLaunch = 1, // two launches; the second is already resident when the first ends
  kLastBlock = 2        // one launch; costs an integer atomic a block and a counter that must start at zero
};

// Adds `count` partial sums in the order of their index; only thread 0 stores.
template <int BLOCK>
__device__ __forceinline__ void add_partials(const volatile float* partials, int count, float* out, float* scratch) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) sum += partials[i];
  sum = wt::block_sum<BLOCK>(sum, scratch);
  if (threadIdx.x == 0) *out = sum;
}

template <typename T, int VEC, int UNROLL, int BLOCK, int HINT, int FINISH>
__global__ void __launch_bounds__(BLOCK)
    reduce_sum(const T* __restrict__ x, float* partials, float* out, u32* finished, i64 n) {
  static_assert(VEC >= 1 && VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(VEC * sizeof(T) * UNROLL <= 128, "more than 128 bytes a thread in flight spill or gain nothing");
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is a number of warps, at most 1024 threads");
  __shared__ float scratch[BLOCK / 32];
  using V = wt::Vec<T, VEC>;
  if constexpr (FINISH == kDependentLaunch) wt::launch_dependents();

  // One accumulator for each place in a vector: the additions of neighbouring elements do not wait for one
  // another, and a thread's rounding errors stay those of a short sum.
  float sums[VEC] = {};
  // The whole grid sweeps the tensor front by front. The share of two blocks differs by one vector a thread
  // at most, whatever UNROLL is; shares of whole unrolled tiles would leave the last round mostly idle.
  const i64 vectors = n / VEC;
  const i64 stride = i64(gridDim.x) * BLOCK;
  const i64 self = i64(blockIdx.x) * BLOCK + threadIdx.x;
  const auto accumulate = [&](const V& vector) {
    float v[VEC];
    wt::unpack<T, VEC>(vector, v);
#pragma unroll
    for (int i = 0; i < VEC; ++i) sums[i] += v[i];
  };
  i64 at = self;
  for (; at + (UNROLL - 1) * stride < vectors; at += UNROLL * stride) {
    V xs[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) xs[u] = wt::load<HINT, V>(x + (at + u * stride) * VEC);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) accumulate(xs[u]);
  }
  V rest[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u)
    if (at + u * stride < vectors) rest[u] = wt::load<HINT, V>(x + (at + u * stride) * VEC);
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u)
    if (at + u * stride < vectors) accumulate(rest[u]);
  if (vectors * VEC + self < n) sums[0] += wt::to_float(x[vectors * VEC + self]); // after the last whole vector

#pragma unroll
  for (int width = VEC / 2; width > 0; width /= 2) {
#pragma unroll
    for (int i = 0; i < width; ++i) sums[i] += sums[i + width];
  }
  const float sum = wt::block_sum<BLOCK>(sums[0], scratch);

  if constexpr (FINISH == kLastBlock) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      partials[blockIdx.x] = sum;
      __threadfence(); // the partial sum is visible before the count says so
      last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
      __threadfence();
      add_partials<BLOCK>(partials, gridDim.x, out, scratch);
    }
  } else {
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  }
}

template <int BLOCK, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK) reduce_partials(const float* partials, float* out, int count) {
  __shared__ float scratch[BLOCK / 32];
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  add_partials<BLOCK>(partials, count, out, scratch);
}

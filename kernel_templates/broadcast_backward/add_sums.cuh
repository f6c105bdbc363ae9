// The second launch: adds the partial sums that the blocks of the first one have left, in a fixed order.
#pragma once

#include "common/async.cuh"

// ADDERS threads add the `parts` partial sums of a value, sums[(matrix * parts + part) * width + value]. A block has
// 256 threads, and works on neighbouring values of a matrix; `groups` blocks on each matrix. DEPENDENT: may start
// before the first launch has ended.
template <typename T, int ADDERS, bool DEPENDENT>
__global__ void __launch_bounds__(256)
    add_sums(const float* sums, T* __restrict__ dvalues, i64 parts, int width, int groups) {
  constexpr int kValues = 256 / ADDERS; // of a block
  static_assert(ADDERS >= 8 && ADDERS <= 256 && wt::is_pow2(ADDERS),
                "a warp has at most one adder of each of 32 values");
  __shared__ float held[8][kValues];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 matrix = blockIdx.x / static_cast<u32>(groups), group = blockIdx.x - matrix * groups;
  const i64 value = i64(group) * kValues + threadIdx.x % kValues;
  const float* from = sums + i64(matrix) * parts * width + value;
  float sum = 0;
  if constexpr (DEPENDENT) wt::wait_for_predecessor();
  if (value < width) {
#pragma unroll 8
    for (i64 part = threadIdx.x / kValues; part < parts; part += ADDERS) sum += from[part * width];
  }
#pragma unroll
  for (int offset = 16; offset >= kValues; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane < kValues) held[warp][lane] = sum;
  __syncthreads();
  if (threadIdx.x >= kValues || value >= width) return;
  sum = held[0][lane];
#pragma unroll
  for (int w = 1; w < 8; ++w) sum += held[w][lane];
  dvalues[i64(matrix) * width + value] = wt::from_float<T>(sum);
}

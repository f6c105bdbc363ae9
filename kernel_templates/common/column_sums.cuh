// Sums over the rows of a matrix for gradients of weights and biases: blocks leave one partial row each, and a second
// launch adds these in a fixed order, so that the same launch gives the same bits each time.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// One of `count` partial rows of one of several sums: parts[(sum * count + part) * cols + column].
__device__ __forceinline__ float* part_row(float* parts, int sum, i64 count, i64 part, int cols) {
  return parts + (sum * count + part) * cols;
}

// 32 columns of a sum by 256 threads, which each add every eighth part. Valid in the first 32 threads.
__device__ __forceinline__ float add_parts(const float* parts, i64 count, int cols, int column) {
  __shared__ float warps[8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
#pragma unroll 4
  for (i64 part = warp; part < count; part += 8)
    if (column < cols) sum += parts[part * cols + column];
  warps[warp][lane] = sum;
  __syncthreads();
  sum = warps[0][lane];
#pragma unroll
  for (int w = 1; w < 8; ++w) sum += warps[w][lane];
  return sum;
}

} // namespace wt

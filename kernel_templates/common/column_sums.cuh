// Sums over the rows of a matrix for gradients of weights and biases: blocks leave one partial row each, and a second
// launch adds these in a fixed order, so that the same launch gives the same bits each time.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// One of `count` partial rows of one of several sums: parts[(sum * count + part) * cols + column].
__device__ __forceinline__ float* part_row(float* parts, int sum, i64 count, i64 part, int cols) {
  return parts + (sum * count + part) * cols;
}

// 32 columns of a sum by a block of WARPS warps, which each add every WARPS-th part: more warps have more loads in
// flight. Valid in the first 32 threads.
template <int WARPS>
__device__ __forceinline__ float add_parts(const float* parts, i64 count, int cols, int column) {
  __shared__ float warps[WARPS][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
#pragma unroll 8
  for (i64 part = warp; part < count; part += WARPS)
    if (column < cols) sum += parts[part * cols + column];
  warps[warp][lane] = sum;
  __syncthreads();
  sum = warps[0][lane];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) sum += warps[w][lane];
  return sum;
}

} // namespace wt

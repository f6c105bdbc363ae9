// A copy of an operand whose k runs fastest in memory, with rows of C running fastest: what a large product reads many times is
// then copied 16 bytes at a time.
#pragma once

#include "common/async.cuh"
#include "common/prelude.cuh"

__device__ __forceinline__ constexpr int padded(int rows) { return (rows + 3) / 4 * 4; } // of a copy: rows of 16 bytes

// `rows` x k elements, rows `lead` apart, of each of the products to k x padded(rows). A block moves 64 x 64 of one product. What is
// launched after it may start at once and waits for its end, which is not before that of the copy launched before it.
__global__ void __launch_bounds__(256) move_across(const float* __restrict__ from, float* __restrict__ to, int rows, int k, int lead) {
  constexpr int kTile = 64;
  __shared__ float tile[kTile][kTile + 1];
#if __CUDA_ARCH__ >= 900 // older GPUs cannot, and do not launch this
  wt::launch_dependents();
#endif
  const int pitch = padded(rows), across = (rows - 1) / kTile + 1, along = (k - 1) / kTile + 1;
  const int product = blockIdx.x / (across * along), of_product = blockIdx.x % (across * along);
  const int first_row = of_product / along * kTile, first_k = of_product % along * kTile;
  from += i64(product) * rows * lead;
  to += i64(product) * k * pitch;
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
#pragma unroll
  for (int i = y; i < kTile; i += 256 / kTile)
    if (first_row + i < rows && first_k + x < k) tile[i][x] = from[i64(first_row + i) * lead + first_k + x];
  __syncthreads();
#pragma unroll
  for (int i = y; i < kTile; i += 256 / kTile)
    if (first_k + i < k && first_row + x < rows) to[i64(first_k + i) * pitch + first_row + x] = tile[x][i];
#if __CUDA_ARCH__ >= 900
  wt::wait_for_predecessor();
#endif
}

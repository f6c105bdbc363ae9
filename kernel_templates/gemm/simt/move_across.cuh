// Copies of operands with rows of C running fastest, in rows that begin at multiples of 16 bytes: what a large product reads many times is
// then copied 16 bytes at a time.
#pragma once

#include "common/async.cuh"
#include "common/prelude.cuh"

__device__ __forceinline__ constexpr int padded(int rows) { return (rows + 3) / 4 * 4; } // of a copy: rows of 16 bytes

// Of each product, `rows` x k elements (BY_K) or k x `rows`, with `lead` from row to row, to k x padded(rows). Block number `block` of the
// operand's moves 64 x 64 of one product.
template <bool BY_K>
__device__ __forceinline__ void move_tile(const float* __restrict__ from, float* __restrict__ to, int rows, int k, int lead, int block) {
  constexpr int kTile = 64, kLines = 256 / kTile;
  const int pitch = padded(rows), across = (rows - 1) / kTile + 1, along = (k - 1) / kTile + 1;
  const int product = block / (across * along), of_product = block % (across * along);
  const int first_row = of_product / along * kTile, first_k = of_product % along * kTile;
  from += i64(product) * (BY_K ? rows : k) * lead;
  to += i64(product) * k * pitch;
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  if constexpr (BY_K) {
    __shared__ float tile[kTile][kTile + 1];
#pragma unroll
    for (int i = y; i < kTile; i += kLines)
      if (first_row + i < rows && first_k + x < k) tile[i][x] = from[i64(first_row + i) * lead + first_k + x];
    __syncthreads();
#pragma unroll
    for (int i = y; i < kTile; i += kLines)
      if (first_k + i < k && first_row + x < rows) to[i64(first_k + i) * pitch + first_row + x] = tile[x][i];
  } else {
    const bool inside = first_row + x < rows;
    float held[kTile / kLines]; // all loads before the first store
#pragma unroll
    for (int i = 0; i < kTile / kLines; ++i) {
      const int at = first_k + y + i * kLines;
      if (inside && at < k) held[i] = from[i64(at) * lead + first_row + x];
    }
#pragma unroll
    for (int i = 0; i < kTile / kLines; ++i) {
      const int at = first_k + y + i * kLines;
      if (inside && at < k) to[i64(at) * pitch + first_row + x] = held[i];
    }
  }
}

// Both operands or one of them; the first `blocks_of_a` blocks move A. What is launched after it may start at once and waits for its end.
template <bool A_BY_K, bool B_BY_K>
__global__ void __launch_bounds__(256) move_across(const float* a, float* a_across, int m, int lda, const float* b, float* b_across, int n,
                                                   int ldb, int k, int blocks_of_a) {
#if __CUDA_ARCH__ >= 900 // older GPUs cannot, and do not launch this
  wt::launch_dependents();
#endif
  if (int(blockIdx.x) < blocks_of_a)
    move_tile<A_BY_K>(a, a_across, m, k, lda, blockIdx.x);
  else
    move_tile<B_BY_K>(b, b_across, n, k, ldb, blockIdx.x - blocks_of_a);
}

// Products of fp32 on tensor cores that multiply tf32: each operand is a sum of two tf32 numbers.
#pragma once

#include "common/prelude.cuh"

// x = high + low, each of 11 significant bits: two operations. The rounding of `high` (cvt.rna) costs no more than a mask, leaves a `low` of half
// the size and of either sign, and 12 bits at most; of these the tensor core ignores the last, so that at most 2^-24 of 2 x is lost. An
// infinity, and what rounds to one (from 2^128 - 2^116), becomes NaN: its low part is infinity - infinity.
struct Split {
  u32 high, low;
  __device__ __forceinline__ void operator=(float x) {
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(high) : "f"(x));
    low = __float_as_uint(x - __uint_as_float(high));
  }
};

__device__ __forceinline__ void mma_tf32(float (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// 16 x 32 sums over 16 of k: the rows HALF and HALF + 1 that each lane has of a, and all of b ([row][k] as in operands.cuh).
// Tensor cores cut off what does not fit a sum instead of rounding it, always towards zero: over a long k the error would grow with k. So a
// sum there lasts for 16 of k, small products first, and is then added to those of the thread, which are rounded.
template <int HALF, int TM, int TN>
__device__ __forceinline__ void add_products(float (&sums)[TM][TN], const float (&a)[4][4], const float (&b)[4][4], int row, int column) {
  Split as[2][4], bs[4][4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int h = 0; h < 2; ++h) as[h][e] = a[HALF + h][e];
#pragma unroll
    for (int j = 0; j < 4; ++j) bs[j][e] = b[j][e];
  }
  float parts[4][4] = {};
#pragma unroll
  for (int e = 0; e < 4; e += 2) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma_tf32(parts[j], as[0][e].low, as[1][e].low, as[0][e + 1].low, as[1][e + 1].low, bs[j][e].high, bs[j][e + 1].high);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma_tf32(parts[j], as[0][e].high, as[1][e].high, as[0][e + 1].high, as[1][e + 1].high, bs[j][e].low, bs[j][e + 1].low);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma_tf32(parts[j], as[0][e].high, as[1][e].high, as[0][e + 1].high, as[1][e + 1].high, bs[j][e].high, bs[j][e + 1].high);
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      sums[row + HALF + h][column + j] += parts[j][h * 2];
      sums[row + HALF + h][column + 4 + j] += parts[j][h * 2 + 1];
    }
}

// Products of fp32 on tensor cores that multiply tf32: each operand is a sum of two tf32 numbers.
#pragma once

#include "common/prelude.cuh"

// x = high + low, both tf32 (11 significant bits), by two operations. Rounding for `high` (cvt.rna) costs as much as a mask would, and
// leaves a `low` of half the size and of either sign. It has at most 12 bits, of which the tensor core ignores the last: what is lost
// is at most 2^-23 of x. An infinity, and what rounds to one (2^128 - 2^116 and above), becomes NaN, because its low part is infinity
// minus infinity.
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

// 16 x 32 sums over 16 of k: rows HALF and HALF + 1 of the four that each lane has of a, and all of b ([row][k] as in operands.cuh).
// Tensor cores truncate their sums towards zero instead of rounding them, so the error of a sum there grows with k, not with its root.
// A sum therefore stays there for 16 of k only, small products first, and is then added to the thread's own, with rounding.
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

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

__device__ __forceinline__ void split(Split (&parts)[4][4], const float (&values)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) parts[i][j] = values[i][j];
}

// 32 x 32 sums over 16 of k: what each lane has of a and b, [row][k] as in operands.cuh, and its sums from (row, column) on.
// Tensor cores truncate their sums towards zero instead of rounding them, so the error of a sum there grows with k, not with its root.
// A sum therefore stays there for 16 of k only, small products first, and is then added to the thread's own, with rounding.
template <int TM, int TN>
__device__ __forceinline__ void add_products(float (&sums)[TM][TN], const Split (&a)[4][4], const Split (&b)[4][4], int row,
                                             int column) {
#pragma unroll
  for (int h = 0; h < 4; h += 2) { // two rows of a lane are its part of 16 rows of A
    float parts[4][4] = {};
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma_tf32(parts[j], a[h][e].low, a[h + 1][e].low, a[h][e + 1].low, a[h + 1][e + 1].low, b[j][e].high, b[j][e + 1].high);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma_tf32(parts[j], a[h][e].high, a[h + 1][e].high, a[h][e + 1].high, a[h + 1][e + 1].high, b[j][e].low, b[j][e + 1].low);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma_tf32(parts[j], a[h][e].high, a[h + 1][e].high, a[h][e + 1].high, a[h + 1][e + 1].high, b[j][e].high, b[j][e + 1].high);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        sums[row + h + i][column + j] += parts[j][i * 2];
        sums[row + h + i][column + 4 + j] += parts[j][i * 2 + 1];
      }
  }
}

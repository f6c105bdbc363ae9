// The inner product of a lane: rows of the short side's operand ("few") times columns of the long side's ("many"), both in shared memory,
// four of k at a time.
#pragma once

#include "common/vec.cuh"

// A slab of the long side's operand, as TMA leaves it. ALONG_K: boxes of WIDTH lines of 32 of k, whose vectors of 4 are swizzled; else lines
// of WIDTH columns, one for each of k. A lane has COLUMNS of them: every LANES-th line, or every LANES-th vector of 4 columns.
template <bool ALONG_K, int WIDTH, int LANES, int COLUMNS> struct ManySlab {
  // Of the slab, in which block a lane finds its first column: `quad` counts the fours of k.
  static __device__ __forceinline__ int place(int lane, int quad) {
    return ALONG_K ? quad / 8 * WIDTH * 32 + lane * 32 + (quad % 8 ^ lane % 8) * 4 : quad * 4 * WIDTH + lane * 4;
  }
  static __device__ __forceinline__ int column(int lane, int i) { // of the tile
    return ALONG_K ? lane + i * LANES : (lane + i / 4 * LANES) * 4 + i % 4;
  }
  static __device__ __forceinline__ void read(float (&to)[4][COLUMNS], const float* from) {
    if constexpr (ALONG_K) {
#pragma unroll
      for (int i = 0; i < COLUMNS; ++i) {
        const float4 four = *reinterpret_cast<const float4*>(from + i * LANES * 32);
        to[0][i] = four.x, to[1][i] = four.y, to[2][i] = four.z, to[3][i] = four.w;
      }
    } else {
#pragma unroll
      for (int d = 0; d < 4; ++d)
#pragma unroll
        for (int i = 0; i < COLUMNS; i += 4) {
          const float4 four = *reinterpret_cast<const float4*>(from + d * WIDTH + i * LANES);
          to[d][i] = four.x, to[d][i + 1] = four.y, to[d][i + 2] = four.z, to[d][i + 3] = four.w;
        }
    }
  }
};

// Adds the products of four of k. `few`: the lane's first row, at the first of the four; all lanes of a group of rows read the same place.
template <int FEW, bool FEW_ALONG_K, int SLAB, int COLUMNS, int ROWS>
__device__ __forceinline__ void add_quad(float (&sums)[COLUMNS][ROWS], const float (&many)[4][COLUMNS], const float* few) {
  if constexpr (FEW_ALONG_K) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const float4 four = *reinterpret_cast<const float4*>(few + r * SLAB);
      const float of_few[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int d = 0; d < 4; ++d)
#pragma unroll
        for (int i = 0; i < COLUMNS; ++i) sums[i][r] = fmaf(many[d][i], of_few[d], sums[i][r]);
    }
  } else {
    constexpr int kVec = ROWS % 4 == 0 ? 4 : 2;
    static_assert(ROWS % kVec == 0);
#pragma unroll
    for (int d = 0; d < 4; ++d)
#pragma unroll
      for (int r = 0; r < ROWS; r += kVec) {
        const wt::Vec<float, kVec> of_few = *reinterpret_cast<const wt::Vec<float, kVec>*>(few + d * FEW + r);
#pragma unroll
        for (int e = 0; e < kVec; ++e)
#pragma unroll
          for (int i = 0; i < COLUMNS; ++i) sums[i][r + e] = fmaf(many[d][i], of_few.v[e], sums[i][r + e]);
      }
  }
}

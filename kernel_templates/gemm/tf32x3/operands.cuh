// Slices of A and B on their way through shared memory to fragments, for any layout: blocks of 32 rows of the operand (rows of A, columns
// of B) by 16 of k, which a lane reads as four vectors of 4.
#pragma once

#include "across_k.cuh"

// Where a lane of mma.m16n8k8 (g = lane / 4, t = lane % 4) is in a block of 32 x 16: it holds rows `row` + (0...3) and k = 4 t + (0...3).
// The instruction fixes only which lanes meet. Rows, columns and k may be assigned in any order that A, B and C share; in this one a lane
// reads 4 x 4 neighbours by four 16-byte loads, whichever runs fastest in memory, and stores 4 neighbouring columns of C beside
// those of the next lane: g takes row 4 (g / 2 + g % 2 * 4), because a lane has C's columns of g = 2 t and g = 2 t + 1.
struct Lane {
  int row, t;
  __device__ __forceinline__ Lane() : row((threadIdx.x % 32 / 8 + threadIdx.x / 4 % 2 * 4) * 4), t(threadIdx.x % 4) {}
};

// R rows of an operand whose k runs fastest: WIDTH of k a copy. Rows 16...31 of a block have their 16s of k exchanged: eight
// lanes that read at once (two rows, 16 apart, 16 of k each) then find their vectors in all 32 banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH> struct AlongK {
  static constexpr int kThreads = WARPS * 32;
  static constexpr int kPerRow = BK / WIDTH;
  static constexpr int kRowStep = kThreads / kPerRow;
  static constexpr int kChunks = (R + kRowStep - 1) / kRowStep;
  static_assert(BK % 32 == 0 && kThreads % kPerRow == 0);

  const float* source; // first chunk of the next slice
  int depth, k;        // this thread's k of the next slice
  int row, pitch;      // row: of the first chunk, in the tile
  int last;            // row that the operand has, in the tile

  __device__ __forceinline__ AlongK(const float* operand, int first, int rows, int k_, int pitch_, int first_depth)
      : depth(first_depth + threadIdx.x % kPerRow * WIDTH), k(k_), row(threadIdx.x / kPerRow), pitch(pitch_), last(rows - 1 - first) {
    source = operand + i64(first + (FITS ? row : 0)) * pitch + depth;
  }

  static __device__ __forceinline__ constexpr int swizzled(int word, int row) { return word ^ (row / 16 % 2 * 16); }

  // Starts the copy of chunk i into the stage at the shared address `stage`.
  __device__ __forceinline__ void fetch(int i, u32 stage) const {
    if (R % kRowStep != 0 && row + i * kRowStep >= R) return;
    const u32 to = stage + swizzled((threadIdx.x + i * kThreads) * WIDTH, row + i * kRowStep) * 4;
    const float* const from = source + (FITS ? i * kRowStep : min(row + i * kRowStep, last)) * pitch;
    if constexpr (FULL_K)
      wt::async_copy<WIDTH * 4>(to, from);
    else
      copy_first<WIDTH * 4>(to, from, max(0, min(WIDTH, k - depth)) * 4);
  }
  __device__ __forceinline__ void advance() {
    source += BK;
    depth += BK;
  }

  // Of the 32 x 16 at (first, 16 * slab) of a slice: values[row][k].
  static __device__ __forceinline__ void read(float (&values)[4][4], const float* slice, int first, int slab, const Lane& lane) {
    const float* const from = slice + (first + lane.row) * BK + swizzled(slab * 16, lane.row) + lane.t * 4;
#pragma unroll
    for (int h = 0; h < 4; ++h) {
      const float4 v = *reinterpret_cast<const float4*>(from + h * BK);
      values[h][0] = v.x, values[h][1] = v.y, values[h][2] = v.z, values[h][3] = v.w;
    }
  }
};

// The same where rows run fastest; the swizzle of AcrossK moves the vectors of four neighbouring lanes to different banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH>
struct AcrossKRead : AcrossK<R, BK, WARPS, FITS, FULL_K, WIDTH, true> {
  using AcrossK<R, BK, WARPS, FITS, FULL_K, WIDTH, true>::AcrossK;

  static __device__ __forceinline__ void read(float (&values)[4][4], const float* slice, int first, int slab, const Lane& lane) {
    const float* const from = slice + (slab * 16 + lane.t * 4) * R + first + (lane.row ^ lane.t * 4);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float4 v = *reinterpret_cast<const float4*>(from + e * R);
      values[0][e] = v.x, values[1][e] = v.y, values[2][e] = v.z, values[3][e] = v.w;
    }
  }
};

template <bool ALONG_K, int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH> struct OperandOf {
  using type = AlongK<R, BK, WARPS, FITS, FULL_K, WIDTH>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH>
struct OperandOf<false, R, BK, WARPS, FITS, FULL_K, WIDTH> {
  using type = AcrossKRead<R, BK, WARPS, FITS, FULL_K, WIDTH>;
};

// Slices [BK][R] of an operand whose rows or columns of C run fastest in memory, on their way to shared memory.
#pragma once

#include "copy.cuh"

// R columns of an operand whose columns run fastest: WIDTH of them a copy. FITS: the operand has R columns here; else those that
// it lacks are read from its last ones. What lies beyond k is filled with zeros. SWIZZLED: row k of the slice has its
// groups of 4 columns exchanged by k / 4 % 4.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH, bool SWIZZLED = false> struct AcrossK {
  static constexpr int kPitch = R;
  static constexpr int kThreads = WARPS * 32;
  static constexpr int kPerRow = R / WIDTH;
  static constexpr int kChunks = (BK * kPerRow + kThreads - 1) / kThreads;
  static constexpr bool kOneColumn = kThreads % kPerRow == 0; // all chunks of a thread are in one column

  const float* source; // the next slice: this thread's first chunk where kOneColumn, else its first row
  int depth;           // k of the same place
  int k, pitch, last;  // last: the greatest column, in the tile, that a copy may start at

  __device__ __forceinline__ AcrossK(const float* operand, int first, int columns, int k_, int pitch_, int first_depth)
      : depth(first_depth), k(k_), pitch(pitch_), last(columns - WIDTH - first) {
    if constexpr (kOneColumn) depth += threadIdx.x / kPerRow;
    source = operand + i64(depth) * pitch + first;
    if constexpr (kOneColumn) source += clamped(threadIdx.x % kPerRow * WIDTH);
  }

  __device__ __forceinline__ int clamped(int column) const { return FITS ? column : min(column, last); }

  __device__ __forceinline__ void fetch(int i, unsigned stage) const {
    const int index = threadIdx.x + i * kThreads;
    if (BK * kPerRow % kThreads != 0 && index >= BK * kPerRow) return;
    const int deep = kOneColumn ? i * (kThreads / kPerRow) : index / kPerRow;
    const float* from = source + i64(deep) * pitch;
    if constexpr (!kOneColumn) from += clamped(index % kPerRow * WIDTH);
    const int swizzle = SWIZZLED ? index / kPerRow / 4 % 4 * 4 : 0;
    copy_or_zero<WIDTH * 4, FULL_K>(stage + (index * WIDTH ^ swizzle) * 4, from, depth + deep < k);
  }
  __device__ __forceinline__ void advance() {
    source += i64(BK) * pitch;
    depth += BK;
  }
};

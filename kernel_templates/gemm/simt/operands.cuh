// Slices of A and B on their way to shared memory, where the row or column of C runs fastest: [BK][kPitch]. FITS: the operand
// has the tile's R rows or columns; else those that it lacks are read from its last one. What lies beyond k is filled with zeros.
#pragma once

#include "across_k.cuh"

// R rows of an operand whose k runs fastest in memory: a warp copies 8 of k (a 32-byte sector) of 4 rows, 4 bytes a lane. With 4
// words of padding, the 32 words that a warp writes at once fall into 32 banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K> struct AlongK {
  static constexpr int kPitch = R + 4;
  static constexpr int kWarpsPerSlab = WARPS / (BK / 8); // a slab is 8 of k
  static constexpr int kRowStep = kWarpsPerSlab * 4;
  static constexpr int kChunks = (R + kRowStep - 1) / kRowStep;
  static_assert(BK % 8 == 0 && WARPS % (BK / 8) == 0 && R % 32 == 0);

  const float* source; // first chunk of the next slice
  int depth;           // this thread's k of the next slice
  int k, pitch;
  int row;  // of the first chunk, in the tile
  int step; // elements from one chunk to the next
  int offsets[FITS ? 1 : kChunks];
  unsigned target; // byte offset of the first chunk in a stage

  __device__ __forceinline__ AlongK(const float* operand, int first, int rows, int k_, int pitch_, int first_depth)
      : k(k_), pitch(pitch_) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int deep = warp % (BK / 8) * 8 + lane % 8;
    row = warp / (BK / 8) * 4 + lane / 8;
    depth = first_depth + deep;
    step = kRowStep * pitch;
    target = (deep * kPitch + row) * 4;
    source = operand + i64(first) * pitch + depth;
    if constexpr (FITS) {
      source += i64(row) * pitch;
    } else {
#pragma unroll
      for (int i = 0; i < kChunks; ++i) offsets[i] = min(row + i * kRowStep, rows - 1 - first) * pitch;
    }
  }

  // Starts the copy of chunk i into the stage at the shared address `stage`.
  __device__ __forceinline__ void fetch(int i, unsigned stage) const {
    if (R % kRowStep != 0 && row + i * kRowStep >= R) return;
    copy_or_zero<4, FULL_K>(stage + target + i * kRowStep * 4, source + (FITS ? i * step : offsets[i]), depth < k);
  }
  __device__ __forceinline__ void advance() {
    source += BK;
    depth += BK;
  }
};

template <bool ALONG_K, int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH> struct OperandOf {
  using type = AlongK<R, BK, WARPS, FITS, FULL_K>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH>
struct OperandOf<false, R, BK, WARPS, FITS, FULL_K, WIDTH> {
  using type = AcrossK<R, BK, WARPS, FITS, FULL_K, WIDTH>;
};

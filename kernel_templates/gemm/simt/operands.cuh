// Slices of A and B on their way through shared memory to registers. FITS: the operand has the tile's R rows or
// columns; else those that it lacks are read from its last one. What lies beyond k is filled with zeros.
//
// A thread reads kDeep steps of k at once, T rows or columns of them: values[row][k]. `fetch` starts the copy of a
// chunk to the stage at a shared address, or loads it to registers, from where `put` stores it.
#pragma once

#include "across_k.cuh"

// T consecutive-by-four elements of a row of shared memory: vectors of 4, LANES vectors apart.
template <int T, int LANES> __device__ __forceinline__ void read_vectors(float (&to)[T][1], const float* row) {
#pragma unroll
  for (int i = 0; i < T / 4; ++i) {
    const float4 v = *reinterpret_cast<const float4*>(row + i * LANES * 4);
    to[i * 4 + 0][0] = v.x;
    to[i * 4 + 1][0] = v.y;
    to[i * 4 + 2][0] = v.z;
    to[i * 4 + 3][0] = v.w;
  }
}

// R columns of an operand whose columns run fastest.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH>
struct AcrossKRead : AcrossK<R, BK, WARPS, FITS, FULL_K, WIDTH> {
  using AcrossK<R, BK, WARPS, FITS, FULL_K, WIDTH>::AcrossK;
  static constexpr int kDeep = 1;
  static constexpr int kStaged = 0; // floats of a slice that is transposed from shared memory
  __device__ __forceinline__ void put(int, float*, const float*) const {}
  struct Reader {
    const float* from;
    __device__ __forceinline__ Reader(const float* slice, int first) : from(slice + first) {}
    template <int T, int LANES> __device__ __forceinline__ void read(float (&to)[T][1], int stage, int step) const {
      read_vectors<T, LANES>(to, from + stage + step * R);
    }
  };
};

// What a thread copies of R rows of an operand whose k runs fastest, 16 bytes at a time: chunks of its k, kRowStep rows
// apart.
template <int R, int BK, int WARPS, bool FITS> struct ChunksAlongK {
  static constexpr int kPitch = R;
  static constexpr int kThreads = WARPS * 32;
  static constexpr int kPerRow = BK / 4; // vectors
  static constexpr int kRowStep = kThreads / kPerRow;
  static constexpr int kChunks = (R + kRowStep - 1) / kRowStep;

  const float* source; // first chunk of the next slice
  int depth;           // this thread's k of the next slice
  int k, step;         // step: elements from one chunk to the next
  int row;             // of the first chunk, in the tile
  int offsets[FITS ? 1 : kChunks];

  __device__ __forceinline__ ChunksAlongK(const float* operand, int first, int rows, int k_, int pitch, int first_depth)
      : depth(first_depth + threadIdx.x % kPerRow * 4), k(k_), step(kRowStep * pitch), row(threadIdx.x / kPerRow) {
    source = operand + i64(first) * pitch + depth;
    if constexpr (FITS) {
      source += i64(row) * pitch;
    } else {
#pragma unroll
      for (int i = 0; i < kChunks; ++i) offsets[i] = min(row + i * kRowStep, rows - 1 - first) * pitch;
    }
  }

  __device__ __forceinline__ bool has(int i) const { return R % kRowStep == 0 || row + i * kRowStep < R; }
  __device__ __forceinline__ const float* chunk(int i) const { return source + (FITS ? i * step : offsets[i]); }
  __device__ __forceinline__ void advance() {
    source += BK;
    depth += BK;
  }
};

// R rows of an operand whose k runs fastest, in shared memory as they are: 16 bytes a copy. The vectors of a row lie
// where the number of its group of four rows says, so that lanes that read neighbouring groups find theirs in all 32
// banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K> struct VectorsAlongK : ChunksAlongK<R, BK, WARPS, FITS> {
  using Chunks = ChunksAlongK<R, BK, WARPS, FITS>;
  using Chunks::Chunks;
  static constexpr int kDeep = 4, kPerRow = Chunks::kPerRow;
  static constexpr int kStaged = 0;
  static_assert(BK % 8 == 0 && Chunks::kRowStep % 4 == 0);

  __device__ __forceinline__ void fetch(int i, unsigned stage) const {
    if (!this->has(i)) return;
    const unsigned vector = threadIdx.x ^ (this->row + i * Chunks::kRowStep) / 4 % 8;
    copy_or_zero<16, FULL_K>(stage + (vector + i * Chunks::kThreads) * 16, this->chunk(i), this->depth < this->k);
  }
  __device__ __forceinline__ void put(int, float*, const float*) const {}

  struct Reader {
    const float* from[8]; // the vectors that lie 0...7 vectors behind that of the first row
    __device__ __forceinline__ Reader(const float* slice, int first) {
#pragma unroll
      for (int i = 0; i < 8; ++i) from[i] = slice + first * BK + (i ^ first / 4 % 8) * 4;
    }
    template <int T, int LANES> __device__ __forceinline__ void read(float (&to)[T][4], int stage, int step) const {
#pragma unroll
      for (int i = 0; i < T; ++i) {
        const int behind = i % 4 * kPerRow + step / 4, group = i / 4 * LANES; // of four rows
        const float4 v =
            *reinterpret_cast<const float4*>(from[behind % 8 ^ group % 8] + stage + behind / 8 * 32 + group * 4 * BK);
        to[i][0] = v.x;
        to[i][1] = v.y;
        to[i][2] = v.z;
        to[i][3] = v.w;
      }
    }
  };
};

// The same through registers, in shared memory as [BK][R]: 16 bytes a load, and 4 stores of 4 bytes. The columns of the
// slice are exchanged in units of kUnit by the number of k's vector, so that the 32 words that a warp stores at once
// fall into 32 banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K> struct HeldAlongK : ChunksAlongK<R, BK, WARPS, FITS> {
  using Chunks = ChunksAlongK<R, BK, WARPS, FITS>;
  static constexpr int kDeep = 1, kPerRow = Chunks::kPerRow, kRowStep = Chunks::kRowStep;
  static constexpr int kStaged = 0;
  static constexpr int kUnit = 32 / kPerRow;
  static_assert(32 % kPerRow == 0 && kUnit >= 4 && R % 32 == 0);

  int vector; // of the first chunk, in the tile
  float4 held[Chunks::kChunks];

  __device__ __forceinline__ HeldAlongK(const float* operand, int first, int rows, int k, int pitch, int first_depth)
      : Chunks(operand, first, rows, k, pitch, first_depth), vector(threadIdx.x % kPerRow) {}

  __device__ __forceinline__ void fetch(int i, unsigned) {
    if (!this->has(i)) return;
    const float4* const from = reinterpret_cast<const float4*>(this->chunk(i));
    held[i] = FULL_K || this->depth < this->k ? __ldg(from) : make_float4(0.f, 0.f, 0.f, 0.f);
  }
  __device__ __forceinline__ void put(int i, float* stage, const float*) const {
    if (this->has(i)) store(i, stage, held[i]);
  }
  __device__ __forceinline__ void store(int i, float* stage, float4 value) const {
    const int row = this->row;
    const int column = kRowStep % 32 == 0 ? (row ^ vector * kUnit) + i * kRowStep : row + i * kRowStep ^ vector * kUnit;
    float* const to = stage + vector * 4 * R + column;
    to[0] = value.x;
    to[R] = value.y;
    to[2 * R] = value.z;
    to[3 * R] = value.w;
  }

  struct Reader {
    const float* from[kPerRow]; // by how the columns are exchanged
    __device__ __forceinline__ Reader(const float* slice, int first) {
#pragma unroll
      for (int i = 0; i < kPerRow; ++i) from[i] = slice + (first ^ i * kUnit);
    }
    template <int T, int LANES> __device__ __forceinline__ void read(float (&to)[T][1], int stage, int step) const {
#pragma unroll
      for (int i = 0; i < T / 4; ++i) {
        const int beyond = i * LANES * 4; // a lane's columns and these have no bit below 32 in common
        const float4 v = *reinterpret_cast<const float4*>(from[step / 4 ^ beyond % 32 / kUnit] + stage + step * R +
                                                          beyond / 32 * 32);
        to[i * 4 + 0][0] = v.x;
        to[i * 4 + 1][0] = v.y;
        to[i * 4 + 2][0] = v.z;
        to[i * 4 + 3][0] = v.w;
      }
    }
  };
};

// The same through a slot of shared memory, where a thread finds what it has copied itself: copies may be under way for
// slices, and no register waits for them.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct StagedAlongK : HeldAlongK<R, BK, WARPS, FITS, FULL_K> {
  using Held = HeldAlongK<R, BK, WARPS, FITS, FULL_K>;
  using Held::Held;
  static constexpr int kStaged = Held::kChunks * Held::kThreads * 4;

  __device__ __forceinline__ void fetch(int i, unsigned slot) const {
    if (this->has(i))
      copy_or_zero<16, FULL_K>(slot + (i * Held::kThreads + threadIdx.x) * 16, this->chunk(i), this->depth < this->k);
  }
  __device__ __forceinline__ void put(int i, float* stage, const float* slot) const {
    if (this->has(i)) this->store(i, stage, reinterpret_cast<const float4*>(slot)[i * Held::kThreads + threadIdx.x]);
  }
};

// The same where rows begin anywhere: 4 bytes a copy, in shared memory as [BK][kPitch]. A warp copies 8 of k (a 32-byte
// sector) of 4 rows. With 4 words of padding, the 32 words that a warp writes at once fall into 32 banks.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K> struct WordsAlongK {
  static constexpr int kPitch = R + 4;
  static constexpr int kDeep = 1;
  static constexpr int kStaged = 0;
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

  __device__ __forceinline__ WordsAlongK(const float* operand, int first, int rows, int k_, int pitch_, int first_depth)
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
  __device__ __forceinline__ void put(int, float*, const float*) const {}
  __device__ __forceinline__ void advance() {
    source += BK;
    depth += BK;
  }

  struct Reader {
    const float* from;
    __device__ __forceinline__ Reader(const float* slice, int first) : from(slice + first) {}
    template <int T, int LANES> __device__ __forceinline__ void read(float (&to)[T][1], int stage, int step) const {
      read_vectors<T, LANES>(to, from + stage + step * kPitch);
    }
  };
};

// The same through registers.
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct HeldWordsAlongK : WordsAlongK<R, BK, WARPS, FITS, FULL_K> {
  using Words = WordsAlongK<R, BK, WARPS, FITS, FULL_K>;
  using Words::Words;
  static constexpr int kStaged = 0;
  float held[Words::kChunks];

  __device__ __forceinline__ void fetch(int i, unsigned) {
    if (R % Words::kRowStep != 0 && this->row + i * Words::kRowStep >= R) return;
    held[i] = FULL_K || this->depth < this->k ? __ldg(this->source + (FITS ? i * this->step : this->offsets[i])) : 0.f;
  }
  __device__ __forceinline__ void put(int i, float* stage, const float*) const {
    if (R % Words::kRowStep != 0 && this->row + i * Words::kRowStep >= R) return;
    stage[this->target / 4 + i * Words::kRowStep] = held[i];
  }
};

// WIDTH: elements of a copy. HELD: what runs along k passes through registers. STAGED: aligned rows pass through a
// slot.
template <bool ALONG_K, int R, int BK, int WARPS, bool FITS, bool FULL_K, int WIDTH, bool HELD, bool STAGED>
struct OperandOf {
  using type = AcrossKRead<R, BK, WARPS, FITS, FULL_K, WIDTH>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct OperandOf<true, R, BK, WARPS, FITS, FULL_K, 4, false, false> {
  using type = VectorsAlongK<R, BK, WARPS, FITS, FULL_K>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct OperandOf<true, R, BK, WARPS, FITS, FULL_K, 4, false, true> {
  using type = StagedAlongK<R, BK, WARPS, FITS, FULL_K>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct OperandOf<true, R, BK, WARPS, FITS, FULL_K, 4, true, false> {
  using type = HeldAlongK<R, BK, WARPS, FITS, FULL_K>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K, bool STAGED>
struct OperandOf<true, R, BK, WARPS, FITS, FULL_K, 1, false, STAGED> {
  using type = WordsAlongK<R, BK, WARPS, FITS, FULL_K>;
};
template <int R, int BK, int WARPS, bool FITS, bool FULL_K>
struct OperandOf<true, R, BK, WARPS, FITS, FULL_K, 1, true, false> {
  using type = HeldWordsAlongK<R, BK, WARPS, FITS, FULL_K>;
};

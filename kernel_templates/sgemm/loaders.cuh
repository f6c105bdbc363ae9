// Slices of A and B on their way to shared memory, where the row or column of C runs fastest. An operand whose k runs
// fastest in global memory (A, and B of "nt") is transposed. Copies are cp.async, of 4 bytes where they transpose; if
// STAGED, they are loads and stores through registers.
#pragma once

#include "common/cp_async.cuh"

__device__ __forceinline__ unsigned shared_window(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

// Brings BK x R slices of an operand stored as rows of k to shared memory as [BK][R + 4]. A warp takes 8 elements of k
// (one 32-byte sector) of 4 rows, or of 16 rows when staged as vectors along k; with 4 words of padding the 32 words
// that a warp writes at once fall into 32 banks.
template <int R, int BK, int WARPS, bool STAGED, bool FULL_R, bool FULL_K, bool VEC, int PITCH>
struct TransposingLoader {
  static constexpr int kPitch = R + 4;
  static constexpr int kStageFloats = BK * kPitch;
  static constexpr int kRowsPerChunk = STAGED ? 16 : 4;
  static constexpr int kSlabs = BK / 8; // slabs of 8 along k
  static constexpr int kRowGroups = R / kRowsPerChunk;
  static constexpr int kWarpsPerSlab = WARPS / kSlabs;
  static constexpr int kChunks = divide_up(kRowGroups, kWarpsPerSlab);
  static constexpr int kRowStep = kWarpsPerSlab * kRowsPerChunk;
  static constexpr bool kExact = kRowGroups % kWarpsPerSlab == 0;
  static_assert(WARPS % kSlabs == 0 && R % kRowsPerChunk == 0, "a warp stays in one slab of k");

  const float* source; // first chunk of the next slice
  int k_index;         // this thread's first k in the next slice
  int k_end;
  int row;  // this thread's first row in the tile
  int step; // elements between chunks
  int offsets[FULL_R ? 1 : kChunks];
  unsigned target; // byte offset of the first chunk in a stage
  float4 held[STAGED ? kChunks : 1];

  __device__ __forceinline__ TransposingLoader(const float* operand, int first_row, int rows, int pitch_, int k_begin,
                                               int k_stop) {
    const int pitch = PITCH ? PITCH : pitch_;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int k_local = warp % kSlabs * 8 + (STAGED ? lane % 2 * 4 : lane % 8);
    row = warp / kSlabs * kRowsPerChunk + (STAGED ? lane / 2 : lane / 8);
    k_index = k_begin + k_local;
    k_end = k_stop;
    step = kRowStep * pitch;
    target = (k_local * kPitch + row) * 4;
    source = operand + static_cast<long long>(first_row) * pitch + k_index;
    if constexpr (FULL_R) {
      source += static_cast<long long>(row) * pitch;
    } else {
#pragma unroll
      for (int i = 0; i < kChunks; ++i) offsets[i] = min(row + i * kRowStep, rows - 1 - first_row) * pitch;
    }
  }

  __device__ __forceinline__ bool owns(int i) const { return kExact || row + i * kRowStep < R; }

  __device__ __forceinline__ const float* chunk(int i) const {
    if constexpr (FULL_R) return source + i * step;
    return source + offsets[i];
  }

  // Starts the copy of chunk i into the stage at byte address `stage`.
  __device__ __forceinline__ void fetch(int i, unsigned stage) {
    if (!owns(i)) return;
    const float* from = chunk(i);
    if constexpr (!STAGED) {
      const unsigned to = stage + target + i * kRowStep * 4;
      if constexpr (FULL_K)
        wt::cp_async_4(to, from);
      else
        wt::cp_async_4(to, from, k_index < k_end);
    } else if constexpr (VEC) {
      held[i] = FULL_K || k_index < k_end ? __ldg(reinterpret_cast<const float4*>(from)) : float4{0, 0, 0, 0};
    } else {
      held[i].x = k_index + 0 < k_end ? __ldg(from + 0) : 0.0f;
      held[i].y = k_index + 1 < k_end ? __ldg(from + 1) : 0.0f;
      held[i].z = k_index + 2 < k_end ? __ldg(from + 2) : 0.0f;
      held[i].w = k_index + 3 < k_end ? __ldg(from + 3) : 0.0f;
    }
  }

  // Writes the held chunk i of a staged slice to shared memory.
  __device__ __forceinline__ void store(int i, float* stage) const {
    if constexpr (STAGED) {
      if (!owns(i)) return;
      float* to = stage + target / 4 + i * kRowStep;
      to[0 * kPitch] = held[i].x;
      to[1 * kPitch] = held[i].y;
      to[2 * kPitch] = held[i].z;
      to[3 * kPitch] = held[i].w;
    }
  }

  __device__ __forceinline__ void advance() {
    source += BK;
    k_index += BK;
  }
};

// Brings BK x R slices of an operand stored as k rows of `pitch` columns to shared memory as [BK][R].
template <int R, int BK, int WARPS, bool STAGED, bool FULL_R, bool FULL_K, bool VEC, int PITCH> struct CopyingLoader {
  static constexpr int kPitch = R;
  static constexpr int kStageFloats = BK * kPitch;
  static constexpr int kThreads = WARPS * 32;
  static constexpr int kWidth = VEC ? 4 : 1;
  static constexpr int kPerRow = R / kWidth;
  static constexpr int kChunks = divide_up(BK * kPerRow, kThreads);
  static constexpr bool kExact = BK * kPerRow % kThreads == 0;

  static constexpr bool kOneColumn = kThreads % kPerRow == 0; // all chunks of a thread lie in one column

  const float* source; // first chunk of the next slice; its first row unless kOneColumn
  int k_index;         // k of the same place
  int k_end;
  int pitch;
  int last_column; // of the tile, for whole vectors
  float held[STAGED ? kChunks * kWidth : 1];

  __device__ __forceinline__ CopyingLoader(const float* operand, int first_column, int columns, int pitch_, int k_begin,
                                           int k_stop)
      : k_index(k_begin), k_end(k_stop), pitch(PITCH ? PITCH : pitch_), last_column(columns - kWidth - first_column) {
    if constexpr (kOneColumn) k_index += threadIdx.x / kPerRow;
    source = operand + static_cast<long long>(k_index) * pitch + first_column;
    if constexpr (kOneColumn) source += clamped(threadIdx.x % kPerRow * kWidth);
  }

  __device__ __forceinline__ int clamped(int column) const { return FULL_R ? column : min(column, last_column); }

  __device__ __forceinline__ void fetch(int i, unsigned stage) {
    const int index = threadIdx.x + i * kThreads;
    if (!kExact && index >= BK * kPerRow) return;
    const int row = kOneColumn ? i * (kThreads / kPerRow) : index / kPerRow;
    const float* from = source + row * pitch;
    if constexpr (!kOneColumn) from += clamped(index % kPerRow * kWidth);
    if constexpr (STAGED) {
      const bool inside = FULL_K || k_index + row < k_end;
      if constexpr (VEC) {
        const float4 v = inside ? __ldg(reinterpret_cast<const float4*>(from)) : float4{0, 0, 0, 0};
        held[i * 4 + 0] = v.x;
        held[i * 4 + 1] = v.y;
        held[i * 4 + 2] = v.z;
        held[i * 4 + 3] = v.w;
      } else {
        held[i] = inside ? __ldg(from) : 0.0f;
      }
      return;
    }
    const unsigned to = stage + index * kWidth * 4;
    if constexpr (VEC && FULL_K)
      wt::cp_async_16(to, from);
    else if constexpr (VEC)
      wt::cp_async_16(to, from, k_index + row < k_end);
    else if constexpr (FULL_K)
      wt::cp_async_4(to, from);
    else
      wt::cp_async_4(to, from, k_index + row < k_end);
  }

  __device__ __forceinline__ void store(int i, float* stage) const {
    const int index = threadIdx.x + i * kThreads;
    if (!STAGED || (!kExact && index >= BK * kPerRow)) return;
    if constexpr (VEC) {
      *reinterpret_cast<float4*>(stage + index * 4) = {held[i * 4], held[i * 4 + 1], held[i * 4 + 2], held[i * 4 + 3]};
    } else {
      stage[index] = held[i];
    }
  }

  __device__ __forceinline__ void advance() {
    source += static_cast<long long>(BK) * pitch;
    k_index += BK;
  }
};

template <bool TRANSPOSING, int R, int BK, int WARPS, bool STAGED, bool FULL_R, bool FULL_K, bool VEC, int PITCH>
struct LoaderOf {
  using type = TransposingLoader<R, BK, WARPS, STAGED, FULL_R, FULL_K, VEC, PITCH>;
};
template <int R, int BK, int WARPS, bool STAGED, bool FULL_R, bool FULL_K, bool VEC, int PITCH>
struct LoaderOf<false, R, BK, WARPS, STAGED, FULL_R, FULL_K, VEC, PITCH> {
  using type = CopyingLoader<R, BK, WARPS, STAGED, FULL_R, FULL_K, VEC, PITCH>;
};

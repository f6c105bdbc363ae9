// Rows of a row-major matrix in vectors, for kernels in which several threads share a row: where a row begins and ends,
// its elements in registers, and which row and vectors a thread works on.
#pragma once

#include "common/ptx.cuh"
#include "common/vec.cuh"

namespace wt {

// A row that may begin and end inside a vector. Vector i holds the columns [i * VEC - lead, i * VEC - lead + VEC);
// whole vectors move in one access, the two broken ones by element. ALIGNED: all rows are whole vectors.
template <typename T, int VEC, bool ALIGNED> struct Row {
  using V = Vec<T, VEC>;
  i64 first; // of the row, in elements of the matrix, rounded down to a vector
  int lead, cols, vectors;

  __device__ __forceinline__ Row(i64 row, int cols_) : cols(cols_) {
    const i64 start = row * cols_;
    lead = ALIGNED ? 0 : static_cast<int>(start % VEC);
    first = start - lead;
    vectors = (lead + cols_ + VEC - 1) / VEC;
  }
  __device__ __forceinline__ int column(int i) const { return i * VEC - lead; }
  __device__ __forceinline__ bool whole(int i) const { return i * VEC >= lead && (i + 1) * VEC - lead <= cols; }
  // Whether element k of vector i is an element of the row.
  __device__ __forceinline__ bool holds(int i, int k) const {
    return ALIGNED ? i < vectors : static_cast<u32>(column(i) + k) < static_cast<u32>(cols);
  }
  // Elements that are not of the row are `outside`.
  __device__ __forceinline__ V load(const T* matrix, int i, float outside = 0.0f) const {
    V value;
    if (ALIGNED ? i < vectors : whole(i)) return wt::load<kDefault, V>(matrix + first + i64(i) * VEC);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      value.v[k] = from_float<T>(outside);
      if constexpr (!ALIGNED)
        if (holds(i, k)) value.v[k] = matrix[first + i64(i) * VEC + k];
    }
    return value;
  }
  // The vectors i, i + step, ... that begin before the column `end`. The whole ones first: their loads are then in
  // flight together, whatever the broken ones wait for.
  template <int N>
  __device__ __forceinline__ void load_batch(const T* matrix, int i, int step, V (&values)[N], int end,
                                             float outside = 0.0f) const {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const int at = i + n * step;
#pragma unroll
      for (int k = 0; k < VEC; ++k) values[n].v[k] = from_float<T>(outside);
      if (column(at) < end && (ALIGNED || whole(at))) values[n] = wt::load<kDefault, V>(matrix + first + i64(at) * VEC);
    }
    if constexpr (!ALIGNED) {
#pragma unroll
      for (int n = 0; n < N; ++n)
        if (const int at = i + n * step; column(at) < end && !whole(at)) values[n] = load(matrix, at, outside);
    }
  }
  __device__ __forceinline__ void store(T* matrix, int i, const V& value) const {
    if (ALIGNED ? i < vectors : whole(i)) {
      wt::store<kStreaming>(matrix + first + i64(i) * VEC, value);
    } else if constexpr (!ALIGNED) {
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        if (holds(i, k)) matrix[first + i64(i) * VEC + k] = value.v[k];
    }
  }
  // The elements of something with one element for each column, such as a weight or a row of a mask; 0 outside.
  template <typename C> __device__ __forceinline__ Vec<C, VEC> load_columns(const C* columns, int i) const {
    Vec<C, VEC> value{};
    if constexpr (ALIGNED) {
      if (i < vectors) value = wt::load<kDefault, Vec<C, VEC>>(columns + i64(i) * VEC);
    } else {
#pragma unroll
      for (int k = 0; k < VEC; ++k)
        if (holds(i, k)) value.v[k] = columns[column(i) + k];
    }
    return value;
  }
  template <typename C> __device__ __forceinline__ void load_columns(const C* columns, int i, float (&out)[VEC]) const {
    unpack<C, VEC>(load_columns(columns, i), out);
  }
};

// The row of a thread and its first vector, where TPR threads of each of BLOCKS neighbouring blocks (such as a cluster)
// share a row, and a block works on RPB rows at a time. A thread's vectors are kStep apart.
template <int TPR, int RPB, int BLOCKS> struct RowPlace {
  static_assert(is_pow2(TPR) && TPR >= 8 && TPR <= 1024, "threads of a row: a power of two from 8 to 1024");
  static_assert(TPR * RPB % 32 == 0 && TPR * RPB <= 1024, "a block is a number of warps, at most 1024 threads");
  static_assert(BLOCKS == 1 || (RPB == 1 && TPR >= 128), "a row that needs several blocks needs whole blocks");
  static constexpr int kStep = TPR * BLOCKS;
  int row_in_block, thread, first;
  u32 rank;
  i64 row;

  __device__ __forceinline__ RowPlace() {
    row_in_block = threadIdx.x / TPR;
    thread = threadIdx.x % TPR;
    rank = blockIdx.x % BLOCKS;
    first = static_cast<int>(rank) * TPR + thread;
    row = i64(blockIdx.x / BLOCKS) * RPB + row_in_block;
  }
};

// Keeps the compiler from holding vectors of a 16-bit type as floats, in twice the registers, across a barrier.
template <typename T, int VEC> __device__ __forceinline__ void keep_packed(Vec<T, VEC>& held) {
  if constexpr (sizeof(T) == 2 && VEC % 2 == 0) {
#pragma unroll
    for (int k = 0; k < VEC / 2; ++k) keep_in_register(reinterpret_cast<u32*>(&held)[k]);
  }
}
template <typename T, int VEC, int N> __device__ __forceinline__ void keep_packed(Vec<T, VEC> (&held)[N]) {
  if constexpr (N * VEC > 16) {
#pragma unroll
    for (int i = 0; i < N; ++i) keep_packed(held[i]);
  }
}

} // namespace wt

// One to three matrices of the same shape whose rows are read together, for losses of rows.
#pragma once

#include "common/async.cuh"
#include "common/rows.cuh"

namespace wt {

template <typename T, int INPUTS, int VEC, int BATCH, bool ALIGNED> struct RowInputs {
  using V = Vec<T, VEC>;
  const T* const (&x)[INPUTS];
  Row<T, VEC, ALIGNED> row;

  // The vectors at, at + step, ... of each.
  __device__ __forceinline__ void load(int at, int step, V (&held)[INPUTS][BATCH]) const {
#pragma unroll
    for (int input = 0; input < INPUTS; ++input) row.load_batch(x[input], at, step, held[input], row.cols);
  }
  // For each of these vectors: element(k, numbers) for its elements of the row, then finish(index of the vector).
  template <typename Element, typename Finish>
  __device__ __forceinline__ void for_each(int at, int step, const V (&held)[INPUTS][BATCH], const Element& element,
                                           const Finish& finish) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int vector = at + i * step;
      if (vector >= row.vectors) break;
      float v[INPUTS][VEC];
#pragma unroll
      for (int input = 0; input < INPUTS; ++input) unpack<T, VEC>(held[input][i], v[input]);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        float numbers[INPUTS];
#pragma unroll
        for (int input = 0; input < INPUTS; ++input) numbers[input] = v[input][k];
        if (row.holds(vector, k)) element(k, numbers);
      }
      finish(vector);
    }
  }
};

// Their rows in shared memory, for a second use. A thread reads only what it has copied itself: its vectors first,
// first + step, ... A vector has a slot for each thread of the block and matrix.
template <typename T, int INPUTS, int VEC, int BATCH, bool ALIGNED, int THREADS> struct HeldRows {
  using V = Vec<T, VEC>;
  const RowInputs<T, INPUTS, VEC, BATCH, ALIGNED>& own;
  int first, step;
  V* memory;

  __device__ __forceinline__ V& slot(int input, int turn) const {
    return memory[(turn * INPUTS + input) * THREADS + threadIdx.x];
  }
  __device__ __forceinline__ void copy() const {
#pragma unroll 2
    for (int at = first, turn = 0; at < own.row.vectors; at += step, ++turn)
#pragma unroll
      for (int input = 0; input < INPUTS; ++input)
        if (ALIGNED || own.row.whole(at))
          async_copy<sizeof(V)>(shared_address(&slot(input, turn)), own.x[input] + own.row.first + i64(at) * VEC);
        else
          slot(input, turn) = own.row.load(own.x[input], at);
    async_copy_wait_all();
  }
  // As RowInputs::load.
  __device__ __forceinline__ void load(int at, V (&held)[INPUTS][BATCH]) const {
    const int turn = (at - first) / step;
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (at + i * step < own.row.vectors)
#pragma unroll
        for (int input = 0; input < INPUTS; ++input) held[input][i] = slot(input, turn + i);
  }
};

} // namespace wt

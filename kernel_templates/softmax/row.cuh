// A row of any alignment, read and written by the threads themselves.
#pragma once

#include "state.cuh"

// A slice of a row: VEC elements at a time from a row that may begin and end inside a vector. Vector i holds
// the columns [i * VEC - lead, i * VEC - lead + VEC); whole vectors move in one access, the two broken ones
// by element.
template <typename T, int VEC, bool ALIGNED> struct Row {
  const T* x;
  T* y;
  i64 first; // of the row, in elements, rounded down to a vector
  int lead, cols, vectors;
  using V = wt::Vec<T, VEC>;

  __device__ __forceinline__ Row(const T* x_, T* y_, i64 row, int cols_) : x(x_), y(y_), cols(cols_) {
    const i64 start = row * cols_;
    lead = ALIGNED ? 0 : static_cast<int>(start % VEC);
    first = start - lead;
    vectors = (lead + cols_ + VEC - 1) / VEC;
  }
  __device__ __forceinline__ bool whole(int i) const { return i * VEC >= lead && (i + 1) * VEC - lead <= cols; }
  // Elements outside the row read as minus infinity: no effect on maximum and sum.
  __device__ __forceinline__ V load(int i) const {
    V value;
    if (i < vectors && (ALIGNED || whole(i))) return wt::load<wt::kDefault, V>(x + first + i64(i) * VEC);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      value.v[k] = wt::from_float<T>(wt::minus_infinity());
      if constexpr (!ALIGNED) {
        const int col = i * VEC + k - lead;
        if (i < vectors && col >= 0 && col < cols) value.v[k] = x[first + i64(i) * VEC + k];
      }
    }
    return value;
  }
  __device__ __forceinline__ void store(int i, const V& value) const {
    if (i >= vectors) return;
    if (ALIGNED || whole(i)) {
      wt::store<wt::kStreaming>(y + first + i64(i) * VEC, value);
    } else {
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        const int col = i * VEC + k - lead;
        if (col >= 0 && col < cols) y[first + i64(i) * VEC + k] = value.v[k];
      }
    }
  }
};

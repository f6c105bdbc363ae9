// The values that belong to elements of matrices of rows x cols, one matrix after the other in memory: one for each
// column, one for each row of a matrix, or one for each column of each matrix.
#pragma once

#include "common/broadcast.cuh"

enum class Source : int { kNumber = 0, kColumns = 1, kRows = 2, kMatrices = 3 };

// ALIGNED: a vector does not leave its row.
template <typename T, Source SOURCE, bool ALIGNED, typename Index> struct Values {
  const T* values;
  Index rows, cols;

  // Of the N elements from i on.
  template <int N> __device__ __forceinline__ wt::Vec<T, N> load(i64 i) const {
    if constexpr (SOURCE != Source::kMatrices) {
      const wt::Broadcast<T, wt::Along(SOURCE), ALIGNED, Index> one{values, rows, cols};
      return one.template load<N>(i);
    } else {
      const Index row = Index(i) / cols;
      Index column = Index(i) - row * cols, matrix = row / rows, at = row - matrix * rows; // at: row of the matrix
      wt::Vec<T, N> out;
      if constexpr (ALIGNED) {
        out = wt::load<wt::kDefault, wt::Vec<T, N>>(values + matrix * cols + column);
      } else {
#pragma unroll
        for (int k = 0; k < N; ++k) {
          out.v[k] = values[matrix * cols + column];
          const bool ends = ++column == cols;
          if (ends) column = 0;
          if (ends && ++at == rows) at = 0, ++matrix;
        }
      }
      return out;
    }
  }
};

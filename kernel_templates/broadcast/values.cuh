// The values that belong to elements of matrices of rows x cols, one matrix after the other in memory: one for each
// column, one for each row of a matrix, or one for each column of each matrix.
#pragma once

#include "common/broadcast.cuh"
#include "common/ptx.cuh"
#include "common/quotient.cuh"

enum class Source : int { kNumber = 0, kColumns = 1, kRows = 2, kMatrices = 3 };

// ALIGNED: a vector of VEC elements does not leave its row. QUICK: `cols_share` and `rows_share` are reciprocals for
// quotient(): of cols (ALIGNED: of vectors of a row), and of rows, or 0 if there is only one row or one matrix.
template <typename T, Source SOURCE, bool ALIGNED, int VEC, bool QUICK, typename Index> struct Values {
  const T* values;
  Index rows, cols;
  u64 cols_share, rows_share;

  // Of the N elements from i on.
  template <int N> __device__ __forceinline__ wt::Vec<T, N> load(i64 i) const {
    Index index = static_cast<Index>(i), row, matrix;
    if constexpr (QUICK) {
      wt::keep_in_register(index); // or else the compiler finds the place before a branch, and loads x after that
      row = wt::quotient(index / (ALIGNED ? VEC : 1), cols_share);
      matrix = wt::quotient(row, rows_share);
    } else {
      row = index / cols;
      matrix = row / rows;
    }
    Index column = index - row * cols, at = row - matrix * rows; // at: row of the matrix
    const auto place = [&] {
      Index of = SOURCE == Source::kRows ? at : SOURCE == Source::kColumns ? column : matrix * cols + column;
      if constexpr (QUICK && ALIGNED) wt::keep_in_register(of); // or else the compiler multiplies 64-bit numbers
      return of;
    };
    if constexpr (ALIGNED && SOURCE != Source::kRows) {
      return wt::load<wt::kDefault, wt::Vec<T, N>>(values + place());
    } else {
      wt::Vec<T, N> out;
      T value = values[place()];
#pragma unroll
      for (int k = 0; k < N; ++k) {
        out.v[k] = value;
        if constexpr (!ALIGNED) {
          const bool ends = ++column == cols;
          if (ends) column = 0;
          if (ends && ++at == rows) at = 0, ++matrix;
          if (k + 1 < N && (SOURCE != Source::kRows || ends)) value = values[place()];
        }
      }
      return out;
    }
  }
};

// A vector that is broadcast over matrices: one value for each column, or one for each row.
#pragma once

#include "common/vec.cuh"

namespace wt {

enum class Along : int { kNone = 0, kColumns = 1, kRows = 2 };

// Of elements: 32 bits where they hold all indices, because a 64-bit division costs a hundred instructions.
template <bool WIDE> struct IndexOf { using type = u32; };
template <> struct IndexOf<true> { using type = u64; };

// The values that belong to elements of matrices of rows x cols, one after the other in memory. ALIGNED: a vector
// does not leave its row.
template <typename T, Along ALONG, bool ALIGNED, typename Index> struct Broadcast {
  const T* values;
  Index rows, cols;

  // Of the N elements from i on.
  template <int N> __device__ __forceinline__ Vec<T, N> load(i64 i) const {
    const Index row = Index(i) / cols;
    Index column = Index(i) - row * cols;
    Vec<T, N> out{};
    if constexpr (ALIGNED && ALONG == Along::kColumns) {
      out = wt::load<kDefault, Vec<T, N>>(values + column);
    } else {
      Index at = row % rows; // in its matrix
      T value = values[ALONG == Along::kRows ? at : column];
#pragma unroll
      for (int k = 0; k < N; ++k) {
        out.v[k] = value;
        if constexpr (!ALIGNED) {
          const bool ends = ++column == cols;
          if (ends) column = 0;
          if (ends && ++at == rows) at = 0;
          if (ALONG == Along::kColumns || ends) value = values[ALONG == Along::kRows ? at : column];
        }
      }
    }
    return out;
  }
};

} // namespace wt

// Causal limits of attention: which columns (keys) a row (query) sees.
#pragma once

#include "common/prelude.cuh"

namespace wt {

enum Causal : int { kAll = 0, kUpperLeft = 1, kLowerRight = 2 };

// The row sees the columns [0, limit): up to its own index, or up to index + cols - queries. `row` counts through
// matrices of `queries` rows.
template <int CAUSAL> __device__ __forceinline__ int causal_limit(i64 row, int queries, int cols) {
  if constexpr (CAUSAL == kAll) return cols;
  const i64 limit = row % queries + 1 + (CAUSAL == kLowerRight ? i64(cols) - queries : 0);
  return static_cast<int>(limit < 0 ? 0 : limit < cols ? limit : cols);
}

} // namespace wt

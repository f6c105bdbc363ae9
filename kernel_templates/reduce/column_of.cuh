// Where an extreme is in the vector that has it.
#pragma once

#include "common/rows.cuh"

// The column of the first element of vector i with this value.
template <typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ int column_of(const wt::Row<T, VEC, ALIGNED>& row, const T* x, int i, float value) {
  int found = row.column(i);
#pragma unroll
  for (int k = VEC - 1; k >= 0; --k) {
    if (!row.holds(i, k)) continue;
    const float own = wt::to_float(x[row.first + i64(i) * VEC + k]);
    if (own == value || (own != own && value != value)) found = row.column(i) + k;
  }
  return found;
}

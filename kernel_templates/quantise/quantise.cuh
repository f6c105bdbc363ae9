// What all implementations of quantise compute: the scale of a row from the largest magnitude of its parts, and
// elements from it.
#pragma once

#include "common/narrow.cuh"
#include "common/row_exchange.cuh"
#include "common/rows.cuh"

struct alignas(8) Largest {
  static constexpr int kFloats = 1;
  float magnitude = 0;

  __device__ __forceinline__ void merge(const Largest& other) { magnitude = wt::max_nan(magnitude, other.magnitude); }
  // Elements that do not exist are 0.
  template <typename T, int VEC> __device__ __forceinline__ void add(const wt::Vec<T, VEC>& vector) {
    float v[VEC];
    wt::unpack<T, VEC>(vector, v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) magnitude = wt::max_nan(magnitude, fabsf(v[k]));
  }
};

// The scale of a row, or of the whole tensor, which the caller gives.
template <typename Q> __device__ __forceinline__ float scale_of(const Largest& row, float least_scale) {
  return wt::max_nan(row.magnitude / wt::largest<Q>, least_scale);
}

// Elements times the inverse of the scale, in the narrow type.
template <typename T, typename Q, int VEC, bool ALIGNED>
__device__ __forceinline__ void store_quantised(const wt::Row<Q, VEC, ALIGNED>& row, const wt::Vec<T, VEC>& vector,
                                                float inverse, Q* y, int i) {
  float v[VEC];
  wt::unpack<T, VEC>(vector, v);
#pragma unroll
  for (int k = 0; k < VEC; ++k) v[k] *= inverse;
  row.store(y, i, wt::narrow<Q, VEC>(v));
}

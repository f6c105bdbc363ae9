// Mean and variance of a row from those of its parts (Chan, Golub and LeVeque 1979): no difference of two large sums, so
// the variance stays accurate where the mean is much larger than the deviation.
#pragma once

#include "common/rows.cuh"

namespace wt {

struct alignas(8) Moments {
  static constexpr int kFloats = 3;
  float count = 0, mean = 0, squares = 0; // of the deviations from the mean

  __device__ __forceinline__ void merge(const Moments& other) {
    const float both = count + other.count, share = both > 0 ? __fdividef(other.count, both) : 0.0f;
    const float apart = other.mean - mean;
    mean += apart * share;
    squares += other.squares + apart * apart * count * share;
    count = both;
  }
};

// Of N vectors in registers: the vectors at, at + step, ... of a row.
template <typename T, int VEC, bool ALIGNED, int N>
__device__ __forceinline__ Moments moments_of(const Row<T, VEC, ALIGNED>& row, const Vec<T, VEC> (&held)[N], int at, int step) {
  float sum = 0, v[VEC];
  int count = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) { // elements outside the row are 0
    unpack<T, VEC>(held[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      sum += v[k];
      count += row.holds(at + i * step, k);
    }
  }
  Moments part;
  part.count = static_cast<float>(count);
  part.mean = count > 0 ? __fdividef(sum, part.count) : 0.0f;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    unpack<T, VEC>(held[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float apart = row.holds(at + i * step, k) ? v[k] - part.mean : 0.0f;
      part.squares = fmaf(apart, apart, part.squares);
    }
  }
  return part;
}

// The sum of squares, likewise.
template <typename T, int VEC, int N> __device__ __forceinline__ float squares_of(const Vec<T, VEC> (&held)[N]) {
  float sum = 0, v[VEC];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    unpack<T, VEC>(held[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sum = fmaf(v[k], v[k], sum);
  }
  return sum;
}

} // namespace wt

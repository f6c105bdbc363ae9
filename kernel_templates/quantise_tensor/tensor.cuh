// What all implementations of quantise_tensor compute: the largest magnitude of what a block has seen, and elements times
// the inverse of the scale.
#pragma once

#include "common/largest_magnitude.cuh"
#include "common/narrow.cuh"

namespace wt {

// One use for each exchange, because a fast warp may write while a slow one still reads.
template <int BLOCK> using BlockExchange = RowExchange<LargestMagnitude, BLOCK, 1, 1>;

// N elements in the narrow type, of which the conversions take four at a time.
template <typename Q, typename T, int N>
__device__ __forceinline__ Vec<Q, N> quantised(const Vec<T, N>& vector, float inverse) {
  constexpr int kWhole = N < 4 ? 4 : N;
  float v[N], scaled[kWhole] = {};
  unpack<T, N>(vector, v);
#pragma unroll
  for (int k = 0; k < N; ++k) scaled[k] = v[k] * inverse;
  const Vec<Q, kWhole> all = narrow<Q, kWhole>(scaled);
  return *reinterpret_cast<const Vec<Q, N>*>(&all);
}

} // namespace wt

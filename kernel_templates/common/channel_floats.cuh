// Numbers in fp32 of neighbouring channels, such as a weight, in few loads.
#pragma once

#include "common/vec.cuh"

namespace wt {

// The address is a multiple of 4 * N bytes, or of 16 where that is less.
template <int N> __device__ __forceinline__ void load_floats(const float* at, float (&out)[N]) {
  constexpr int kPiece = N < 4 ? N : 4;
#pragma unroll
  for (int first = 0; first < N; first += kPiece) {
    const auto piece = load<kDefault, Vec<float, kPiece>>(at + first);
#pragma unroll
    for (int k = 0; k < kPiece; ++k) out[first + k] = piece.v[k];
  }
}

} // namespace wt

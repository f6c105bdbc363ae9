// What scans have in common: both operations, the scan of a vector and of neighbouring lanes, and elements that a mask
// leaves out.
#pragma once

#include "common/rows.cuh"

namespace wt {

template <bool PRODUCT> __device__ __forceinline__ float both(float a, float b) { return PRODUCT ? a * b : a + b; }
template <bool PRODUCT> inline constexpr float kNothing = PRODUCT ? 1.0f : 0.0f;

// Which elements of a vector a mask chooses.
template <int VEC> using Chosen = Vec<bool, VEC>;
// Those of vector i of a row, of which only the elements of the row exist.
template <typename T, int VEC, bool ALIGNED>
__device__ __forceinline__ Chosen<VEC> load_chosen(const Row<T, VEC, ALIGNED>& row, const bool* mask, int i) {
  Chosen<VEC> chosen{};
#pragma unroll
  for (int k = 0; k < VEC; ++k)
    if (row.holds(i, k)) chosen.v[k] = mask[row.first + i64(i) * VEC + k];
  return chosen;
}
// The others do not contribute, even if they are NaN.
template <bool PRODUCT, typename T, int VEC>
__device__ __forceinline__ void leave_out(Vec<T, VEC>& vector, const Chosen<VEC>& chosen) {
#pragma unroll
  for (int k = 0; k < VEC; ++k)
    if (!chosen.v[k]) vector.v[k] = from_float<T>(kNothing<PRODUCT>);
}

// Each element gets the result up to itself; returns that of the whole vector.
template <bool PRODUCT, bool REVERSE, int VEC> __device__ __forceinline__ float scan_vector(float (&v)[VEC]) {
#pragma unroll
  for (int k = 1; k < VEC; ++k) {
    const int own = REVERSE ? VEC - 1 - k : k, last = REVERSE ? own + 1 : own - 1;
    v[own] = both<PRODUCT>(v[last], v[own]);
  }
  return v[REVERSE ? 0 : VEC - 1];
}

// The result up to this lane, of WIDTH neighbours, each with its value.
template <bool PRODUCT, int WIDTH> __device__ __forceinline__ float scan_lanes(float value) {
  const int lane = threadIdx.x % WIDTH;
#pragma unroll
  for (int offset = 1; offset < WIDTH; offset *= 2) {
    const float lower = __shfl_up_sync(0xffffffffu, value, offset, WIDTH);
    if (lane >= offset) value = both<PRODUCT>(lower, value);
  }
  return value;
}
// The result for all lanes before this one, from that of scan_lanes.
template <bool PRODUCT, int WIDTH> __device__ __forceinline__ float before_lane(float scanned) {
  const float lower = __shfl_up_sync(0xffffffffu, scanned, 1, WIDTH);
  return threadIdx.x % WIDTH == 0 ? kNothing<PRODUCT> : lower;
}

// The results of a scanned vector, with `before` for all elements before it.
template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, int VEC>
__device__ __forceinline__ Vec<T, VEC> results_of(const float (&v)[VEC], float before) {
  float out[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const int last = REVERSE ? k + 1 : k - 1;
    const bool is_first = last < 0 || last >= VEC;
    out[k] = !EXCLUSIVE ? both<PRODUCT>(before, v[k])
             : is_first ? before
                        : both<PRODUCT>(before, v[is_first ? 0 : last]);
  }
  return pack<T, VEC>(out);
}

} // namespace wt

// What a thread does with the vectors of a group that it holds in registers.
#pragma once

#include "group_norm.cuh"

// Normalises the vectors first, first + step, ... of a group and stores them. EVEN: a vector does not leave its plane.
// ONE: a group is one plane. weight and bias begin at the group's first channel.
template <bool EVEN, bool ONE, typename T, int VEC, bool ALIGNED, int ITERS>
__device__ __forceinline__ void store_group(const wt::Row<T, VEC, ALIGNED>& row, const wt::Vec<T, VEC> (&held)[ITERS],
                                            int first, int step, const Statistics& own, const T* __restrict__ weight,
                                            const T* __restrict__ bias, int pixels, int size, T* __restrict__ y) {
  const auto coefficients = [&](int channel) {
    return Coefficients{own.mean, own.rstd * wt::to_float(weight[channel]), wt::to_float(bias[channel])};
  };
  Coefficients here = coefficients(0);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    const int at = first + i * step, column = max(row.column(at), 0);
    if (column >= row.cols) break;
    int channel = 0, pixel = column;
    if constexpr (!ONE) {
      channel = column / pixels;
      pixel -= channel * pixels;
      here = coefficients(channel);
    }
    float v[VEC];
    wt::unpack<T, VEC>(held[i], v);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      if (!EVEN && !row.holds(at, k)) continue;
      v[k] = here.normalise(v[k]);
      if (EVEN || ONE || k == VEC - 1 || ++pixel < pixels) continue;
      pixel = 0;
      if (++channel < size) here = coefficients(channel);
    }
    row.store(y, at, wt::pack<T, VEC>(v));
  }
}

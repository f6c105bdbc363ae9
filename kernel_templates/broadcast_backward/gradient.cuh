// The gradient of a product in a thread's elements, and the part of the rows or columns that a block works on.
#pragma once

#include "common/vec.cuh"

// dx of N neighbours, and their terms of the sums.
template <typename T, int N, typename Values>
__device__ __forceinline__ wt::Vec<T, N> gradient(const wt::Vec<T, N>& dy, const wt::Vec<T, N>& x, const Values& value,
                                                  float (&terms)[N]) {
  float g[N], v[N];
  wt::unpack<T, N>(dy, g);
  wt::unpack<T, N>(x, v);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    terms[k] = fmaf(g[k], v[k], terms[k]);
    g[k] *= value(k);
  }
  return wt::pack<T, N>(g);
}

// Of UNROLL vectors, from element `at` on and `step` apart, of which a thread has those for which holds(u).
template <typename T, int N, int UNROLL, typename Step, typename Holds, typename Values>
__device__ __forceinline__ void gradients(const T* dy, const T* x, T* dx, i64 at, Step step, const Holds& holds,
                                          const Values& value, float (&terms)[N]) {
  using V = wt::Vec<T, N>;
  V g[UNROLL], v[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (holds(u)) {
      g[u] = wt::load<wt::kDefault, V>(dy + (at + u * step));
      v[u] = wt::load<wt::kDefault, V>(x + (at + u * step));
    }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (holds(u)) wt::store<wt::kStreaming>(dx + (at + u * step), gradient<T, N>(g[u], v[u], value, terms));
}

// Calls work(i) for `first`, first + step, ... below `last`. ONCE: there is at most one, and `work` finds out whether
// it exists: a condition around the loads of `work` would make them wait for what is computed before it.
template <bool ONCE, typename Work>
__device__ __forceinline__ void for_all(i64 first, i64 last, int step, const Work& work) {
  if constexpr (ONCE) {
    work(first);
  } else {
    for (i64 i = first; i < last; i += step) work(i);
  }
}

// The elements of part `part`, where the first `rest` parts have `each` + 1 elements and the others `each`. The host
// divides, because a 64-bit division before the first load costs a hundred instructions.
struct Range {
  i64 first, last;
  __device__ __forceinline__ Range(u32 part, i64 each, u32 rest)
      : first(part * each + (part < rest ? part : rest)), last(first + each + (part < rest)) {}
};

// y and z together count to 2^31 without a division by the number of blocks in x.
__device__ __forceinline__ u32 block_of_yz() { return blockIdx.z * 65535u + blockIdx.y; }

// The gradient of an average over the whole image, in planes of one channel: each element of a plane gets the same
// share.
#include "common/broadcast.cuh"

// A thread writes VECTORS vectors of VEC neighbours, which lie in at most two planes. `vectors`: all of dx.
template <typename T, int PIXELS, int VEC, int VECTORS, bool WIDE, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    spread_average_planes(const T* __restrict__ dy, T* __restrict__ dx, i64 vectors) {
  static_assert(PIXELS >= VEC, "a vector lies in at most two planes");
  using Index = typename wt::IndexOf<WIDE>::type;
  constexpr float kShare = 1.0f / PIXELS;
  const Index begin = Index(blockIdx.x) * (BLOCK * VECTORS) + threadIdx.x;
  T value[VECTORS], next[VECTORS];
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const Index at = begin + Index(i * BLOCK);
    if (at >= Index(vectors)) break;
    const Index plane = at * VEC / PIXELS;
    value[i] = next[i] = dy[plane];
    if (PIXELS % VEC != 0 && (at * VEC + (VEC - 1)) / PIXELS != plane) next[i] = dy[plane + 1];
  }
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const Index at = begin + Index(i * BLOCK);
    if (at >= Index(vectors)) break;
    const T share = wt::from_float<T>(wt::to_float(value[i]) * kShare),
            behind = wt::from_float<T>(wt::to_float(next[i]) * kShare);
    const int left = PIXELS - static_cast<int>(at * VEC % PIXELS); // elements of the first plane from here on
    wt::Vec<T, VEC> result;
#pragma unroll
    for (int k = 0; k < VEC; ++k) result.v[k] = k < left ? share : behind;
    wt::store<STORES>(dx + i64(at) * VEC, result);
  }
}

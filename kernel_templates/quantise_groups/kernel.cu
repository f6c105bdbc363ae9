// int4 with a scale for each group of SIZE neighbouring elements, in one pass. The lanes of a group are neighbours of one
// warp, so that no thread waits for another warp.
#include "common/early.cuh"
#include "common/int4.cuh"
#include "common/largest_magnitude.cuh"

using namespace wt;

// A thread has VECTORS neighbouring vectors of each of UNROLL groups, whose loads are in flight together.
template <typename T, int SIZE, int VEC, int VECTORS, int UNROLL, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    quantise_groups(const T* __restrict__ x, u8* __restrict__ y, float* __restrict__ scales, float least_scale,
                    i64 groups) {
  wt::wait_for_earlier_work();
  constexpr int kOwn = VEC * VECTORS, kLanes = SIZE / kOwn;
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(kOwn % 2 == 0 && kOwn <= 32, "a thread stores whole bytes, with one access of at most 16 bytes");
  static_assert(is_pow2(kLanes) && kLanes <= 32 && BLOCK % 32 == 0, "the lanes of a group are in one warp");
  using V = Vec<T, VEC>;
  const i64 first = i64(blockIdx.x) * (BLOCK * UNROLL) + threadIdx.x; // parts of groups, a thread's BLOCK apart
  V held[UNROLL][VECTORS];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 part = first + u * BLOCK;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      held[u][i] = V{};
      if (part < groups * kLanes) held[u][i] = load<kDefault, V>(x + part * kOwn + i * VEC);
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 part = first + u * BLOCK;
    LargestMagnitude own;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) own.add(held[u][i]);
    const float scale = scale_of(merge_lanes<kLanes>(own), 7.0f, least_scale), inverse = 1 / scale;
    if (part >= groups * kLanes) continue;
    if (part % kLanes == 0) scales[part / kLanes] = scale;
    float all[kOwn];
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      float v[VEC];
      unpack<T, VEC>(held[u][i], v);
#pragma unroll
      for (int k = 0; k < VEC; ++k) all[i * VEC + k] = v[k] * inverse;
    }
    store<kStreaming>(y + part * (kOwn / 2), pack_int4(all));
  }
}

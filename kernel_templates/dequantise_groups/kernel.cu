// y = x * scale, where x is int4 with a scale for each group of SIZE neighbouring elements.
#include "common/early.cuh"
#include "common/int4.cuh"

using namespace wt;

// A thread has VECTORS neighbouring vectors of y in each of UNROLL groups, whose loads are in flight together.
template <typename T, int SIZE, int VEC, int VECTORS, int UNROLL, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    dequantise_groups(const u8* __restrict__ x, const float* __restrict__ scales, T* __restrict__ y, i64 groups) {
  wt::wait_for_earlier_work();
  constexpr int kOwn = VEC * VECTORS, kLanes = SIZE / kOwn;
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(kOwn % 2 == 0 && kOwn <= 32, "a thread loads whole bytes, with one access of at most 16 bytes");
  static_assert(is_pow2(kLanes), "a thread's elements have one scale");
  using Packed = Vec<u8, kOwn / 2>;
  const i64 first = i64(blockIdx.x) * (BLOCK * UNROLL) + threadIdx.x; // parts of groups, a thread's BLOCK apart
  Packed held[UNROLL];
  float scale[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 part = first + u * BLOCK;
    if (part >= groups * kLanes) break;
    held[u] = load<kDefault, Packed>(x + part * (kOwn / 2));
    scale[u] = scales[part / kLanes];
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const i64 part = first + u * BLOCK;
    if (part >= groups * kLanes) break;
    float all[kOwn];
    unpack_int4<kOwn>(held[u], all);
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      float v[VEC];
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] = all[i * VEC + k] * scale[u];
      store<kStreaming>(y + part * kOwn + i * VEC, pack<T, VEC>(v));
    }
  }
}

// A loss of each element of x and its target: stored, or added up in one pass. Sums have a fixed order. With SIGNS also
// two bits for each element, whether its gradient is positive and whether it is negative, for loss_backward.
#include "common/async.cuh"
#include "common/early.cuh"
#include "common/losses.cuh"
#include "common/packed_bits.cuh"
#include "common/reduce.cuh"
#include "common/tiles.cuh"

using namespace wt;

// SUM: adds to `sum`; a vector by a tree, so that a thread's rounding errors stay those of a short sum.
template <typename T, typename Out, typename Function, bool SUM, bool SIGNS, int STORES> struct Losses {
  const T *x, *target;
  Out* y;
  u8* signs;
  i64 n;
  LossSettings settings;
  float& sum;

  template <int N> struct Loaded { Vec<T, N> x, target; };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    held.x = wt::load<kDefault, Vec<T, N>>(x + i);
    held.target = wt::load<kDefault, Vec<T, N>>(target + i);
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    if constexpr (SIGNS) {
      PackedBits<2>::store<N>(signs, i, n, signs_of<N>(held), [&](i64 at) {
        Loaded<1> one;
        load<1>(at, one);
        return signs_of<1>(one);
      });
    }
    float v[N], t[N];
    unpack<T, N>(held.x, v);
    unpack<T, N>(held.target, t);
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = Function::template value<T>(v[k], t[k], settings);
    if constexpr (SUM) {
#pragma unroll
      for (int width = N / 2; width > 0; width /= 2) {
#pragma unroll
        for (int k = 0; k < width; ++k) v[k] += v[k + width];
      }
      sum += v[0];
    } else {
      wt::store<STORES>(y + i, pack<Out, N>(v));
    }
  }
  template <int N> __device__ __forceinline__ u32 signs_of(const Loaded<N>& held) const {
    float v[N], t[N];
    unpack<T, N>(held.x, v);
    unpack<T, N>(held.target, t);
    u32 bits = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const float slope = Function::template gradient<T>(v[k], t[k], settings);
      bits |= slope > 0 ? 1u << (2 * k) : slope < 0 ? 2u << (2 * k) : 0u;
    }
    return bits;
  }
};

// With SUM each block leaves one part. DEPENDENT: add_loss_parts may start before this launch has ended.
template <typename T, typename Out, typename Function, bool SUM, bool SIGNS, int VEC, int UNROLL, int BLOCK,
          bool PERSISTENT, int STORES, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK)
    elementwise_loss(const T* __restrict__ x, const T* __restrict__ target, Out* __restrict__ y,
                     u8* __restrict__ signs, float* __restrict__ parts, float beta, float delta, float margin, i64 n) {
  static_assert(VEC * sizeof(T) <= 16 && (SUM || VEC * sizeof(Out) <= 16), "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  if constexpr (SUM && DEPENDENT) launch_dependents();
  float sum = 0;
  const Losses<T, Out, Function, SUM, SIGNS, STORES> losses{x, target, y, signs, n, {beta, delta, margin}, sum};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, losses);
  if constexpr (SUM) {
    __shared__ float scratch[BLOCK / 32];
    sum = block_sum<BLOCK>(sum, scratch);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  }
}

// The second launch: one block adds the parts, and divides the sum by `divisor`.
template <typename Out, int BLOCK, bool DEPENDENT>
__global__ void __launch_bounds__(BLOCK) add_loss_parts(const float* parts, Out* y, int count, float divisor) {
  if constexpr (DEPENDENT) wait_for_predecessor();
  __shared__ float scratch[BLOCK / 32];
  float sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < count; i += BLOCK) sum += parts[i];
  sum = block_sum<BLOCK>(sum, scratch);
  if (threadIdx.x == 0) *y = from_float<Out>(sum / divisor);
}

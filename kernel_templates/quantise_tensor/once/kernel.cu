// A tensor with one scale in one launch whose blocks all run at the same time and hold the tensor in registers: they give
// each other their largest magnitudes, and the tensor is read once.
#include "common/rows.cuh"
#include "common/team_pairs.cuh"
#include "tensor.cuh"

using namespace wt;

// A thread holds ITERS vectors. RESIDENT: the threads of an SM that the register allocation must allow. `pairs`, which
// are 0 before the launch, have a word for each block.
template <typename T, typename Q, int VEC, int ITERS, int BLOCK, int RESIDENT>
__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK)
    quantise_once(const T* __restrict__ x, Q* __restrict__ y, float* __restrict__ scale, u64* pairs, float least_scale,
                  i64 n) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  using V = Vec<T, VEC>;
  __shared__ BlockExchange<BLOCK> exchange[2];
  const i64 vectors = n / VEC, first = i64(blockIdx.x) * (BLOCK * ITERS) + threadIdx.x;
  const i64 rest = vectors * VEC + threadIdx.x; // an element after the last whole vector, of the first block
  const bool has_rest = blockIdx.x == 0 && rest < n;

  V held[ITERS];
  Vec<T, 1> last{};
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    held[i] = V{};
    if (first + i * BLOCK < vectors) held[i] = load<kDefault, V>(x + (first + i * BLOCK) * VEC);
  }
  if (has_rest) last.v[0] = x[rest];
  LargestMagnitude own;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) own.add(held[i]);
  own.add(last);
  keep_packed(held);
  own = exchange[0].merge(own, 0, 0);

  // A pair's 1 makes its word differ from 0 whatever the magnitude is.
  if (threadIdx.x == 0) give_pair(&pairs[blockIdx.x], make_float2(own.value, 1.0f));
  LargestMagnitude all;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) all.merge({take_pair(&pairs[i]).x});
  const float of_all = scale_of(exchange[1].merge(all, 0, 0), largest<Q>, least_scale), inverse = 1 / of_all;
  if (blockIdx.x == 0 && threadIdx.x == 0) *scale = of_all;
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    if (const i64 vector = first + i * BLOCK; vector < vectors)
      store<kStreaming>(y + vector * VEC, quantised<Q>(held[i], inverse));
  if (has_rest) y[rest] = quantised<Q>(last, inverse).v[0];
}

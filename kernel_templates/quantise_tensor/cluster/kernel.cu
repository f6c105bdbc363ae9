// A small tensor with one scale, in the registers of one block or of the blocks of one cluster: they exchange their
// largest magnitudes through distributed shared memory, so that nothing passes through global memory, no workspace is
// cleared, and no grid waits. sm_90.
#include "common/early.cuh"
#include "common/rows.cuh"
#include "tensor.cuh"

using namespace wt;

// A thread holds ITERS vectors. The grid is the cluster.
template <typename T, typename Q, int VEC, int ITERS, int BLOCK, int CLUSTER>
__global__ void __launch_bounds__(BLOCK, 1)
    quantise_cluster(const T* __restrict__ x, Q* __restrict__ y, float* __restrict__ scale, float least_scale, i64 n) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(BLOCK >= VEC, "a thread has at most one element after the last whole vector");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  __shared__ RowExchange<LargestMagnitude, BLOCK, 1, CLUSTER> exchange;
  constexpr int kStep = BLOCK * CLUSTER;
  // The tensor fits the registers of the cluster, so 32 bits hold its places.
  const int count = static_cast<int>(n), vectors = count / VEC;
  const int first = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  const int rest = vectors * VEC + first; // an element after the last whole vector

  exchange.announce();
  V held[ITERS];
  Vec<T, 1> last{};
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    held[i] = V{};
    if (first + i * kStep < vectors) held[i] = load<kDefault, V>(x + (first + i * kStep) * VEC);
  }
  if (rest < count) last.v[0] = x[rest];
  LargestMagnitude own;
#pragma unroll
  for (int i = 0; i < ITERS; ++i) own.add(held[i]);
  own.add(last);
  keep_packed(held);
  const float of_all = scale_of(exchange.merge(own, blockIdx.x, 0), largest<Q>, least_scale), inverse = 1 / of_all;

  if (first == 0) *scale = of_all;
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    if (const int vector = first + i * kStep; vector < vectors)
      store<kDefault>(y + vector * VEC, quantised<Q>(held[i], inverse));
  if (rest < count) y[rest] = quantised<Q>(last, inverse).v[0];
}

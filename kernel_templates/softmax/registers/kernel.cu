// Row softmax, y = exp(x - max) / sum, or its logarithm, with the row in registers: each thread holds its part, so that
// the row is read once and written once. Rows of any alignment.
#include "row.cuh"

// TPR threads of each block work on a row, RPB rows a block at a time; ITERS is the number of vectors a thread holds.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, bool ALIGNED, bool LOG>
__global__ void __launch_bounds__(TPR* RPB, 1) softmax(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols) {
  static_assert(wt::is_pow2(TPR) && TPR >= 8 && TPR <= 1024, "threads of a row: a power of two from 8 to 1024");
  static_assert(TPR * RPB % 32 == 0 && TPR * RPB <= 1024, "a block is a number of warps, at most 1024 threads");
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs a cluster needs whole blocks");
  static_assert(CLUSTER <= 8, "portable clusters have at most 8 blocks");
  static_assert(ITERS >= 1 && ITERS * VEC * sizeof(T) * TPR * RPB <= 131072,
                "the rows of a block fit half the registers of an SM");
  using V = wt::Vec<T, VEC>;
  const int row_in_block = threadIdx.x / TPR;
  const int thread = threadIdx.x % TPR;
  const u32 rank = CLUSTER > 1 ? wt::cluster_rank() : 0;
  const i64 group = blockIdx.x / CLUSTER; // of RPB rows

  __shared__ Exchange<TPR, RPB, CLUSTER> exchange;
  if constexpr (CLUSTER > 1) wt::cluster_arrive(); // waited for below, behind the loads
  const i64 row = group * RPB + row_in_block;
  const bool live = row < rows;
  const Row<T, VEC, ALIGNED> slice(x, y, live ? row : 0, live ? cols : 0);
  const int first = static_cast<int>(rank) * TPR + thread;
  constexpr int kStep = TPR * CLUSTER;
  wt::ExpSum part;

  V held[ITERS];
#pragma unroll
  for (int i = 0; i < ITERS; ++i) held[i] = slice.load(first + i * kStep);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) part.max = fmaxf(part.max, vector_max<T, VEC>(held[i]));
  const float offset = wt::exp_offset(part.max);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) part.sum += exponential_sum<T, VEC>(held[i], offset);
  if constexpr (sizeof(T) == 2 && ITERS * VEC > 32) {
    // Keeps the compiler from holding the row as floats, twice the registers, across the exchange.
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
#pragma unroll
      for (int k = 0; k < VEC / 2; ++k) asm volatile("" : "+r"(reinterpret_cast<u32*>(&held[i])[k]));
  }
  if constexpr (CLUSTER > 1) wt::cluster_wait(); // the peers run
  const wt::ExpSum all = exchange.merge(part, rank, row_in_block);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) slice.store(first + i * kStep, normalise<T, VEC, LOG>(held[i], all));
}

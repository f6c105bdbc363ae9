// Row softmax, y = exp(x - max) / sum, or its logarithm, with the row kept nowhere: an online maximum and sum, then the
// row is read again, from the L2 if it is still there. Rows of any length and alignment.
#include "row.cuh"

// TPR threads of each block work on a row.
template <typename T, int TPR, int VEC, int CLUSTER, bool ALIGNED, bool LOG>
__global__ void __launch_bounds__(TPR, 1) softmax(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols) {
  static_assert(wt::is_pow2(TPR) && TPR >= 128 && TPR <= 1024, "threads of a row: a power of two from 128 to 1024");
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(CLUSTER <= 8, "portable clusters have at most 8 blocks");
  using V = wt::Vec<T, VEC>;
  const i64 row = blockIdx.x / CLUSTER;
  const u32 rank = CLUSTER > 1 ? wt::cluster_rank() : 0;

  __shared__ Exchange<TPR, 1, CLUSTER> exchange;
  if constexpr (CLUSTER > 1) wt::cluster_arrive(); // waited for below, behind the loads
  const bool live = row < rows;
  const Row<T, VEC, ALIGNED> slice(x, y, live ? row : 0, live ? cols : 0);
  const int first = static_cast<int>(rank) * TPR + threadIdx.x;
  constexpr int kStep = TPR * CLUSTER;
  wt::ExpSum part;

  constexpr int kBatch = 4; // loads in flight a thread
  for (int at = first; at < slice.vectors; at += kBatch * kStep) {
    V batch[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) batch[i] = slice.load(at + i * kStep);
    float max = part.max;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) max = fmaxf(max, vector_max<T, VEC>(batch[i]));
    const float offset = wt::exp_offset(max);
    part.sum = part.sum_at(max);
    part.max = max;
    float sum = 0; // short sums of short sums: a long row costs less precision
#pragma unroll
    for (int i = 0; i < kBatch; ++i) sum += exponential_sum<T, VEC>(batch[i], offset);
    part.sum += sum;
  }
  if constexpr (CLUSTER > 1) wt::cluster_wait(); // the peers run
  const wt::ExpSum all = exchange.merge(part, rank, 0);
  for (int at = first; at < slice.vectors; at += kBatch * kStep) {
    V batch[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) batch[i] = slice.load(at + i * kStep);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) slice.store(at + i * kStep, normalise<T, VEC, LOG>(batch[i], all));
  }
}

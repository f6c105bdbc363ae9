// The gradient of softmax without a causal limit by persistent blocks: bulk copies fill a ring of rows of y and dy in
// shared memory ahead of them. The blocks of a cluster share a row. Rows of whole 16-byte vectors. sm_90.
#include "common/cluster_exchange.cuh"
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "gradient.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block at a time; ITERS is the number of vectors of
// each of y and dy that a thread holds. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, int STAGES, int BLOCKS_PER_SM,
          bool LOG>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    masked_softmax_backward(const T* __restrict__ dy, const T* __restrict__ y, T* __restrict__ dx, float scale,
                            i64 rows, int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs several blocks needs whole blocks");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<wt::Sums<1>, TPR, RPB, 1>;
  __shared__ Exchange exchange[2];
  __shared__ wt::ClusterExchange<wt::Sums<1>, CLUSTER> of_cluster;
  const u32 rank = blockIdx.x % CLUSTER;
  const int share = cols / CLUSTER; // the block's slice of a row; below, a row is a slice
  const T* const matrices[2] = {y, dy};
  wt::RowRing<T, 2, RPB, STAGES> ring(matrices, rows * CLUSTER, share, slots, full);
  of_cluster.start();
  for (int turn = 0; ring.more(); ++turn) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows * CLUSTER;
    const wt::Row<T, VEC, true> row(live ? at : 0, live ? share : 0);
    ring.wait();
    Loaded<false, ITERS, T, VEC, true> held(reinterpret_cast<const V*>(ring.row(0, place.row_in_block)),
                                            reinterpret_cast<const V*>(ring.row(1, place.row_in_block)), row.vectors,
                                            place.thread, TPR);
    wt::Sums<1> sum;
#pragma unroll
    for (int i = 0; i < ITERS; ++i) sum.v[0] += held.template term_sum<LOG>(i, 0, 1);
    wt::keep_packed(held.y);
    wt::keep_packed(held.dy);
    sum = exchange[turn % 2].merge(sum, 0, place.row_in_block);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    sum = of_cluster.merge(sum, rank, turn);
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      if (vector < row.vectors) // column 0 of 1: there is no limit
        wt::store<wt::kStreaming>(dx + row.first + i64(vector) * VEC, held.template gradient<LOG>(i, sum.v[0], scale, 0, 1));
    }
    ring.advance();
  }
}

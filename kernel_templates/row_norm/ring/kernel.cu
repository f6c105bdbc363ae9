// LayerNorm or RMSNorm of rows by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them,
// and weight and bias stay in registers. The blocks of a cluster share a row. Rows of whole 16-byte vectors. sm_90.
#include "common/cluster_exchange.cuh"
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "norm.cuh"

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block at a time; ITERS is the number of vectors that
// a thread holds. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, int STAGES, int BLOCKS_PER_SM, bool RMS,
          bool WEIGHT, bool BIAS, bool RESIDUAL, bool STATS>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    row_norm(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
             const T* __restrict__ bias, T* __restrict__ y, T* __restrict__ sum, float* __restrict__ mean,
             float* __restrict__ rstd, float eps, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs several blocks needs whole blocks");
  wt::wait_for_earlier_work();
  using Row = wt::Row<T, VEC, true>;
  using V = typename Row::V;
  constexpr int kMatrices = RESIDUAL ? 2 : 1;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<PartOfHeld<RMS, CLUSTER>, TPR, RPB, 1>;
  __shared__ Exchange exchange[2];
  __shared__ wt::ClusterExchange<Part<RMS>, CLUSTER> of_cluster;
  const u32 rank = blockIdx.x % CLUSTER;
  const int share = cols / CLUSTER; // the block's slice of a row; below, a row is a slice
  const T* matrices[kMatrices];
  matrices[0] = x;
  if constexpr (RESIDUAL) matrices[1] = residual;
  wt::RowRing<T, kMatrices, RPB, STAGES> ring(matrices, rows * CLUSTER, share, slots, full);
  of_cluster.start();
  Columns<T, VEC, WEIGHT, BIAS> columns[ITERS];
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    columns[i].load(Row(0, share), weight + rank * share, bias + rank * share, place.thread + i * TPR);
  for (int turn = 0; ring.more();) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const bool live = at < rows * CLUSTER;
    const Row row(live ? at : 0, live ? share : 0);
    V held[ITERS];
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      held[i] = V{};
      if (vector < row.vectors) {
        held[i] = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[vector];
        if constexpr (RESIDUAL) {
          held[i] = add<T, VEC>(held[i], reinterpret_cast<const V*>(ring.row(1, place.row_in_block))[vector]);
          row.store(sum, vector, held[i]);
        }
      }
    }
    const auto add_up = [&](const auto& part) {
      const auto all = exchange[turn++ % 2].merge(part, 0, place.row_in_block);
      if constexpr (!Exchange::kNeeded) __syncthreads();
      return all;
    };
    Scale scale;
    if constexpr (CLUSTER == 1) {
      scale = scale_of_held<RMS>(row, held, place.thread, TPR, cols, eps, add_up);
      ring.release();
    } else { // exchanges once: that takes longer than merging moments
      const Part<RMS> part = add_up(part_of<RMS>(row, held, place.thread, TPR));
      ring.release();
      scale = scale_of(of_cluster.merge(part, rank, turn - 1), cols, eps);
    }
    if (live && place.thread == 0 && rank == 0) save<RMS, STATS>(scale, mean, rstd, at / CLUSTER);
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
      if (const int vector = place.thread + i * TPR; vector < row.vectors)
        row.store(y, vector, columns[i].normalise(held[i], scale));
    ring.advance();
  }
}

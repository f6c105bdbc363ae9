// The gradients of LayerNorm or RMSNorm by persistent blocks: bulk copies fill a ring of rows of dy, x and dsum in
// shared memory ahead of them, and each thread keeps the sums of its columns in registers. The blocks of a cluster
// share a row. Rows of whole 16-byte vectors. sm_90.
#include "common/cluster_exchange.cuh"
#include "common/early.cuh"
#include "common/row_ring.cuh"
#include "gradient.cuh"

// A thread's sums for its columns: over the block's groups of rows, then over the rows of a group.
template <int VEC, int ITERS> struct ColumnSums {
  float v[ITERS][VEC] = {};

  // `shared` holds a row of floats. Every thread calls; the first row's threads get the sum.
  template <int TPR, int RPB>
  __device__ __forceinline__ void add_rows(float* shared, int vectors, int row, int thread) {
    for (int r = 1; r < RPB; ++r) {
      __syncthreads();
      if (row == r) store<TPR>(shared, vectors, thread);
      __syncthreads();
      if (row == 0)
#pragma unroll
        for (int i = 0; i < ITERS; ++i)
          if (const int at = thread + i * TPR; at < vectors)
#pragma unroll
            for (int k = 0; k < VEC; ++k) v[i][k] += shared[at * VEC + k];
    }
  }
  template <int TPR> __device__ __forceinline__ void store(float* to, int vectors, int thread) const {
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
      if (const int at = thread + i * TPR; at < vectors)
#pragma unroll
        for (int k = 0; k < VEC; k += 4)
          *reinterpret_cast<float4*>(to + at * VEC + k) = make_float4(v[i][k], v[i][k + 1], v[i][k + 2], v[i][k + 3]);
  }
};

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block at a time; ITERS is the number of vectors that
// a thread holds. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, int STAGES, int BLOCKS_PER_SM,
          bool RMS, bool WEIGHT, bool BIAS, bool RESIDUAL>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    row_norm_backward(const T* __restrict__ dy, const T* __restrict__ x, const T* __restrict__ weight,
                      const float* __restrict__ mean, const float* __restrict__ rstd, const T* __restrict__ dsum,
                      T* __restrict__ dx, float* __restrict__ parts, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs several blocks needs whole blocks");
  wt::wait_for_earlier_work();
  if constexpr (WEIGHT || BIAS) wt::launch_dependents();
  using Row = wt::Row<T, VEC, true>;
  using V = typename Row::V;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<wt::Sums<2>, TPR, RPB, 1>;
  __shared__ Exchange exchange[2];
  __shared__ wt::ClusterExchange<wt::Sums<2>, CLUSTER> of_cluster;
  const u32 rank = blockIdx.x % CLUSTER;
  const int share = cols / CLUSTER; // the block's slice of a row; below, a row is a slice
  constexpr int kMatrices = RESIDUAL ? 3 : 2;
  const T* matrices[kMatrices];
  matrices[0] = dy;
  matrices[1] = x;
  if constexpr (RESIDUAL) matrices[2] = dsum;
  wt::RowRing<T, kMatrices, RPB, STAGES> ring(matrices, rows * CLUSTER, share, slots, full);
  of_cluster.start();
  const Row columns(0, share);
  V weights[ITERS];
#pragma unroll
  for (int i = 0; i < ITERS; ++i)
    if constexpr (WEIGHT) weights[i] = columns.load(weight + rank * share, place.thread + i * TPR);
  ColumnSums<VEC, ITERS> dweight, dbias;
  const auto statistics_at = [&](i64 slice) { return statistics<RMS>(mean, rstd, slice / CLUSTER, rows); };
  Statistics next = statistics_at(ring.group * RPB + place.row_in_block);
  for (int turn = 0; ring.more(); ++turn) {
    const i64 at = ring.group * RPB + place.row_in_block;
    const Statistics row_statistics = next;
    next = statistics_at(at + i64(gridDim.x) * RPB); // in flight while this row is computed
    const bool live = at < rows * CLUSTER;
    const Row row(live ? at : 0, live ? share : 0);
    V grads[ITERS], inputs[ITERS], past[RESIDUAL ? ITERS : 1];
    wt::Sums<2> sums;
    ring.wait();
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      grads[i] = V{};
      inputs[i] = V{};
      if constexpr (RESIDUAL) past[i] = V{};
      if (vector < row.vectors) {
        grads[i] = reinterpret_cast<const V*>(ring.row(0, place.row_in_block))[vector];
        inputs[i] = reinterpret_cast<const V*>(ring.row(1, place.row_in_block))[vector];
        if constexpr (RESIDUAL) past[i] = reinterpret_cast<const V*>(ring.row(2, place.row_in_block))[vector];
      }
      Terms<VEC> terms(grads[i], inputs[i], row_statistics);
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        if constexpr (WEIGHT) dweight.v[i][k] = fmaf(terms.g[k], terms.x[k], dweight.v[i][k]);
        if constexpr (BIAS) dbias.v[i][k] += terms.g[k];
      }
      float w[VEC];
      if constexpr (WEIGHT) {
        wt::unpack<T, VEC>(weights[i], w);
        terms.scale(w);
      }
      terms.add_to(sums);
    }
    wt::keep_packed(grads);
    wt::keep_packed(inputs);
    sums = exchange[turn % 2].merge(sums, 0, place.row_in_block);
    if constexpr (!Exchange::kNeeded) __syncthreads();
    ring.release();
    sums = of_cluster.merge(sums, rank, turn);
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      const int vector = place.thread + i * TPR;
      Terms<VEC> terms(grads[i], inputs[i], row_statistics);
      float w[VEC], added[VEC] = {};
      if constexpr (WEIGHT) {
        wt::unpack<T, VEC>(weights[i], w);
        terms.scale(w);
      }
      if constexpr (RESIDUAL) wt::unpack<T, VEC>(past[i], added);
      if (vector < row.vectors)
        wt::store<wt::kStreaming>(dx + row.first + i64(vector) * VEC,
                          terms.template gradient<RMS, T>(sums, row_statistics, cols, added));
    }
    ring.advance();
  }
  float* shared = reinterpret_cast<float*>(slots); // nothing is in flight any more
  const auto finish = [&](ColumnSums<VEC, ITERS>& of, int which) {
    of.template add_rows<TPR, RPB>(shared, columns.vectors, place.row_in_block, place.thread);
    if (place.row_in_block == 0)
      of.template store<TPR>(wt::part_row(parts, which, gridDim.x / CLUSTER, blockIdx.x / CLUSTER, cols) + rank * share,
                             columns.vectors, place.thread);
  };
  if constexpr (WEIGHT) finish(dweight, 0);
  if constexpr (BIAS) finish(dbias, WEIGHT ? 1 : 0);
}

// Softmax of rows with scale by persistent blocks: bulk copies fill a ring of rows in shared memory ahead of them, of
// each row what the causal limit leaves. The blocks of a cluster share a row. Rows of whole 16-byte vectors. sm_90.
#include "common/cluster_exchange.cuh"
#include "common/early.cuh"
#include "logits.cuh"

// A ring of slots of RPB slices of rows each, which has no copy of what is beyond a row's limit. A row has CLUSTER
// slices of `share` elements. Block b takes the groups b, b + blocks, ... of RPB slices.
template <typename T, int RPB, int CLUSTER, int STAGES, int CAUSAL> struct LimitedRing {
  const T* x;
  i64 slices;
  int cols, queries, share;
  u8* data;
  u64* full; // STAGES barriers

  // The columns of a slice that its row sees.
  __device__ __forceinline__ int limit(i64 slice) const {
    if (slice >= slices) return 0;
    const int own = wt::causal_limit<CAUSAL>(slice / CLUSTER, queries, cols) - int(slice % CLUSTER) * share;
    return own < 0 ? 0 : own < share ? own : share;
  }
  __device__ __forceinline__ T* row(int stage, int row_in_block) const {
    return reinterpret_cast<T*>(data) + (stage * RPB + row_in_block) * share;
  }
  // In one thread.
  __device__ __forceinline__ void fetch(i64 group, int stage) const {
    if (group * RPB >= slices) return;
    constexpr int kVec = 16 / sizeof(T);
    u32 bytes[RPB], all = 0;
#pragma unroll
    for (int r = 0; r < RPB; ++r) all += bytes[r] = wt::ceil_div(limit(group * RPB + r), kVec) * 16;
    wt::barrier_arrive_expect(&full[stage], all);
#pragma unroll
    for (int r = 0; r < RPB; ++r)
      if (bytes[r] > 0) wt::bulk_load(row(stage, r), x + (group * RPB + r) * share, bytes[r], &full[stage]);
  }
};

// TPR threads of each of CLUSTER blocks work on a row, RPB rows a block at a time; ITERS is the number of vectors that
// a thread holds. BLOCKS_PER_SM is the residency that the register allocation must allow.
template <typename T, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, int STAGES, int BLOCKS_PER_SM, bool LOG,
          int CAUSAL>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    masked_softmax(const T* __restrict__ x, T* __restrict__ y, float scale, i64 rows, int cols, int queries) {
  static_assert(VEC * sizeof(T) == 16, "bulk copies move whole 16-byte pieces");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs several blocks needs whole blocks");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const wt::RowPlace<TPR, RPB, 1> place;
  extern __shared__ __align__(128) u8 slots[];
  __shared__ u64 full[STAGES];
  using Exchange = wt::RowExchange<wt::ExpSum, TPR, RPB, 1>;
  __shared__ Exchange exchange[2]; // in turn: a fast warp may write while a slow one still reads
  __shared__ wt::ClusterExchange<wt::ExpSum, CLUSTER> of_cluster;
  const u32 rank = blockIdx.x % CLUSTER;
  const int share = cols / CLUSTER, vectors = share / VEC;
  const LimitedRing<T, RPB, CLUSTER, STAGES, CAUSAL> ring{x, rows * CLUSTER, cols, queries, share, slots, full};
  const i64 step = gridDim.x;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) wt::barrier_init(&full[s], 1);
    wt::barrier_init_fence();
    for (int s = 0; s < STAGES; ++s) ring.fetch(blockIdx.x + s * step, s);
  }
  __syncthreads();
  of_cluster.start();
  int stage = 0, turn = 0;
  u32 phase = 0;
  for (i64 group = blockIdx.x; group * RPB < ring.slices; group += step, ++turn) {
    const i64 slice = group * RPB + place.row_in_block;
    const int limit = ring.limit(slice);
    const auto vector = [&](int i) { return place.thread + i * TPR; };
    Loaded<kNoMask, CAUSAL != wt::kAll, ITERS, T, VEC, true> held;
    wt::barrier_wait(&full[stage], phase);
#pragma unroll
    for (int i = 0; i < ITERS; ++i) {
      held.x[i] = V{};
      if (vector(i) * VEC < limit)
        held.x[i] = reinterpret_cast<const V*>(ring.row(stage, place.row_in_block))[vector(i)];
    }
    const auto merge = [&](wt::ExpSum part) {
      part = exchange[turn % 2].merge(part, 0, place.row_in_block);
      if constexpr (!Exchange::kNeeded) __syncthreads();
      if (threadIdx.x == 0) ring.fetch(group + STAGES * step, stage);
      return of_cluster.merge(part, rank, turn);
    };
    const auto store = [&](int i, const V& value) {
      if (slice < ring.slices && vector(i) < vectors)
        wt::store<wt::kStreaming>(y + slice * share + vector(i) * VEC, value);
    };
    softmax_of_held<LOG>(
        held, scale, limit, [&](int i) { return vector(i) * VEC; }, merge, store);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
}

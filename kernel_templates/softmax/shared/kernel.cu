// Row softmax, y = exp(x - max) / sum, or its logarithm, with the row in shared memory: bulk copies fill a ring of
// row slots ahead of a persistent block, so that the row is read once and written once.
#include "state.cuh"

// TPR threads work on a row, RPB rows a block at a time. BLOCKS_PER_SM is the residency that the register allocation
// must allow.
template <typename T, int TPR, int RPB, int VEC, int STAGES, int BLOCKS_PER_SM, bool LOG>
__global__ void __launch_bounds__(TPR* RPB, BLOCKS_PER_SM)
    softmax(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols) {
  static_assert(wt::is_pow2(TPR) && TPR >= 8 && TPR <= 1024, "threads of a row: a power of two from 8 to 1024");
  static_assert(TPR * RPB % 32 == 0 && TPR * RPB <= 1024, "a block is a number of warps, at most 1024 threads");
  static_assert(VEC * sizeof(T) == 16, "a bulk copy moves whole 16-byte pieces");
  using V = wt::Vec<T, VEC>;
  const int row_in_block = threadIdx.x / TPR;
  const int thread = threadIdx.x % TPR;
  const i64 group = blockIdx.x; // of RPB rows
  extern __shared__ __align__(128) u8 ring[];

  // Rows are whole vectors here. A stage holds RPB rows.
  __shared__ u64 full[STAGES];
  __shared__ Exchange<TPR, RPB, 1> exchange[2]; // in turn: a fast warp writes while a slow one still reads
  const int count = cols / VEC;
  const i64 groups = wt::ceil_div<i64>(rows, RPB), step = gridDim.x;
  const u32 stage_bytes = RPB * count * sizeof(V);
  const auto fetch = [&](i64 which, int stage) { // one thread
    const i64 first_row = which * RPB;
    const i64 rows_here = rows - first_row < RPB ? rows - first_row : RPB;
    const u32 bytes = static_cast<u32>(rows_here) * count * sizeof(V);
    wt::barrier_arrive_expect(&full[stage], bytes);
    wt::bulk_load(ring + stage * stage_bytes, x + first_row * cols, bytes, &full[stage]);
  };
  if (threadIdx.x == 0) {
#pragma unroll
    for (int s = 0; s < STAGES; ++s) wt::barrier_init(&full[s], 1);
    wt::barrier_init_fence();
    for (int s = 0; s < STAGES; ++s)
      if (group + s * step < groups) fetch(group + s * step, s);
  }
  __syncthreads();

  int stage = 0, turn = 0;
  u32 phase = 0;
  i64 previous = -1; // the group whose stage is to be filled again
  int previous_stage = 0;
  for (i64 at = group; at < groups; at += step) {
    wt::barrier_wait(&full[stage], phase);
    const i64 row = at * RPB + row_in_block;
    const V* data = reinterpret_cast<const V*>(ring + stage * stage_bytes) + row_in_block * count;
    wt::ExpSum part;
    const bool live = row < rows;
    if (live) {
#pragma unroll 4
      for (int i = thread; i < count; i += TPR) part.max = fmaxf(part.max, vector_max<T, VEC>(data[i]));
      const float offset = wt::exp_offset(part.max);
#pragma unroll 4
      for (int i = thread; i < count; i += TPR) part.sum += exponential_sum<T, VEC>(data[i], offset);
    }
    const wt::ExpSum all = exchange[turn].merge(part, 0, row_in_block);
    if constexpr (!Exchange<TPR, RPB, 1>::kNeeded) __syncthreads();
    // Every thread has now left the previous group: its stage takes the next one.
    if (threadIdx.x == 0 && previous >= 0 && previous + STAGES * step < groups)
      fetch(previous + STAGES * step, previous_stage);
    if (live) {
      T* to = y + row * cols;
#pragma unroll 4
      for (int i = thread; i < count; i += TPR)
        wt::store<wt::kStreaming>(to + i64(i) * VEC, normalise<T, VEC, LOG>(data[i], all));
    }
    previous = at;
    previous_stage = stage;
    turn ^= 1;
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
    if constexpr (STAGES == 1) { // nothing else to work on: refill at once
      __syncthreads();
      if (threadIdx.x == 0 && at + step < groups) fetch(at + step, 0);
      previous = -1;
    }
  }
}

// y[b][c][r] = x[b][r][c], where an element is a run of neighbours: runs are read and written in vectors.
#include "common/early.cuh"
#include "common/vec.cuh"

// A thread moves BYTES at once. LANES threads work on a run, GROUPS runs a block, and each thread has loads of BATCH
// runs in flight.
template <int BYTES, int LANES, int GROUPS, int BATCH, int HINT>
__global__ void __launch_bounds__(LANES* GROUPS)
    permute_runs(const wt::Vec<u16, BYTES / 2>* __restrict__ x, wt::Vec<u16, BYTES / 2>* __restrict__ y, i64 rows,
                 u32 cols, i64 vectors, u32 blocks) {
  wt::wait_for_earlier_work();
  using V = wt::Vec<u16, BYTES / 2>;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const u32 column = blockIdx.x / blocks; // of all matrices
  const i64 row = i64(blockIdx.x % blocks) * (GROUPS * BATCH) + group;
  const V* from = x + ((column / cols * rows + row) * cols + column % cols) * vectors;
  V* to = y + (column * rows + row) * vectors;
  for (i64 v = lane; v < vectors; v += LANES) {
    V batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (row + i * GROUPS < rows) batch[i] = wt::load<wt::kDefault, V>(from + i64(i * GROUPS) * cols * vectors + v);
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (row + i * GROUPS < rows) wt::store<HINT>(to + i * GROUPS * vectors + v, batch[i]);
  }
}

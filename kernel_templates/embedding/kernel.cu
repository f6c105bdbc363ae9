// y = table[ids], row by row. An index that is not a row gives NaN.
#include "common/early.cuh"
#include "common/rows.cuh"

// TPR threads copy a row, RPB rows a block at a time; a thread has BATCH vectors of each of ROWS rows in flight.
// BATCHED: there are several tables.
template <typename T, typename I, int TPR, int RPB, int VEC, int ROWS, int BATCH, bool BATCHED, int STORES>
__global__ void __launch_bounds__(TPR* RPB)
    gather_rows(const T* __restrict__ table, const I* __restrict__ ids, T* __restrict__ y, i64 results, u32 tokens,
                i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(ROWS * BATCH <= 8, "more than 128 bytes of a thread in flight need too many registers");
  wt::wait_for_earlier_work();
  using V = wt::Vec<T, VEC>;
  const int thread = threadIdx.x % TPR, vectors = cols / VEC;
  const i64 first = i64(blockIdx.x) * (ROWS * RPB) + threadIdx.x / TPR;
  I index[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const i64 row = first + r * RPB;
    if (row < results) index[r] = ids[BATCHED ? row % tokens : row];
  }
  for (int at = thread; at < vectors; at += BATCH * TPR) {
    V batch[ROWS][BATCH];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const i64 row = first + r * RPB;
      const bool exists = row < results && index[r] >= 0 && index[r] < rows;
      const i64 from = BATCHED ? row / tokens * rows + index[r] : i64(index[r]);
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
#pragma unroll
        for (int k = 0; k < VEC; ++k) batch[r][i].v[k] = wt::from_float<T>(__int_as_float(0x7fc00000)); // NaN
        if (exists && at + i * TPR < vectors)
          batch[r][i] = wt::load<wt::kDefault, V>(table + from * cols + i64(at + i * TPR) * VEC);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const i64 row = first + r * RPB;
#pragma unroll
      for (int i = 0; i < BATCH; ++i)
        if (row < results && at + i * TPR < vectors)
          wt::store<STORES>(y + row * cols + i64(at + i * TPR) * VEC, batch[r][i]);
    }
  }
}

// The gradient of a table of narrow rows in segments of equal work: each team of threads streams through neighbouring
// tokens of the sorted order, adds their gradients, and writes neighbouring rows, also those without tokens. A row that
// is cut by the ends of segments gets a part from each; a second launch adds the parts. All orders are fixed.
#include "common/async.cuh"
#include "common/vec.cuh"
#include "segments/finish.cuh"
#include "segments/places.cuh"
#include "segments/radix.cuh"

using namespace wt;

// TEAMS teams of TPR threads a block, a segment each; a thread has one vector of a row. COUNTED: starts[rows] is the
// number of tokens in the table; else it is `tokens`. A segment has two parts: of its first row, if earlier segments
// have tokens of that row, and of its last row. cuts: for a segment whose first row is cut, one more than the row if
// the segment ends the row, else -1; 0 for others.
template <typename T, typename I, typename O, int TPR, int TEAMS, int VEC, int BATCH, int ITEMS, bool PADDING,
          bool COUNTED, int STORES>
__global__ void __launch_bounds__(TPR* TEAMS, 1) // else the compiler spills, so that one more block fits
    add_segments(const T* __restrict__ dy, const I* sorted_ids, const O* order, const int* starts, T* dtable,
                 float* parts, int* cuts, i64 padding, int tokens, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  constexpr int kThreads = TPR * TEAMS, kTokens = TEAMS * ITEMS + kLookback;
  __shared__ int ids[kTokens], from[kTokens];
  __shared__ Place begins[TEAMS + 1];
  wt::launch_dependents();
  wt::wait_for_predecessor();
  const i64 item = i64(blockIdx.x) * TEAMS * ITEMS;
  if (threadIdx.x < 32) {
    const int end = threadIdx.x / 16;
    const Place found = find_place(sorted_ids, item + i64(end) * TEAMS * ITEMS, COUNTED ? starts[rows] : tokens,
                                   static_cast<int>(rows));
    if (threadIdx.x % 16 == 0) begins[end * TEAMS] = found;
  }
  __syncthreads();
  const Place block_begin = begins[0], block_end = begins[TEAMS];
  for (int i = threadIdx.x; i < block_end.token - block_begin.token; i += kThreads) {
    const int row = row_of(sorted_ids[block_begin.token + i]);
    ids[i] = row;
    from[i] = PADDING && row == padding ? 0 : static_cast<int>(order[block_begin.token + i]); // 0: of no use, but near
  }
  __syncthreads();
  for (int i = threadIdx.x + 1; i < TEAMS; i += kThreads)
    begins[i] = find_inner_place(ids, item + i64(i) * ITEMS, block_begin, block_end);
  __syncthreads();
  const int team = threadIdx.x / TPR, thread = threadIdx.x % TPR;
  const Place begin = begins[team], end = begins[team + 1];
  const int first = begin.token - block_begin.token, last = end.token - block_begin.token;
  const i64 segment = i64(blockIdx.x) * TEAMS + team;
  if (thread == 0) cuts[segment] = !begin.is_cut ? 0 : begin.row < end.row ? begin.row + 1 : -1;

  const int column = thread * VEC < cols ? thread * VEC : 0; // threads beyond the row do the same as the first one
  float* const part = parts + 2 * segment * cols + column;
  float sum[VEC] = {};
  int row = begin.row;
  const auto write_rows = [&](int before) { // the sum, then zeros
    if (row >= before) return;
    T* to = dtable + i64(row) * cols + column;
    if (row == begin.row && begin.is_cut)
      store_part(part, sum);
    else
      wt::store<STORES>(to, pack<T, VEC>(sum));
#pragma unroll
    for (int k = 0; k < VEC; ++k) sum[k] = 0.0f;
#pragma unroll 1
    for (++row; row < before; ++row) wt::store<STORES>(to += cols, Vec<T, VEC>{});
  };
#pragma unroll 1 // BATCH says how many loads
  for (int at = first; at < last; at += BATCH) {
    Vec<T, VEC> batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) // at the end some tokens again
      batch[i] = wt::load<kDefault, Vec<T, VEC>>(dy + i64(from[min(at + i, last - 1)]) * cols + column);
    if constexpr (BATCH > 1) __syncwarp(__activemask()); // else the compiler puts additions between the loads
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (at + i >= last) break;
      const int id = ids[at + i];
      write_rows(min(id, end.row));
      if (id != row || (PADDING && id == padding)) continue;
      float values[VEC];
      unpack<T, VEC>(batch[i], values);
#pragma unroll
      for (int k = 0; k < VEC; ++k) sum[k] += values[k];
    }
  }
  write_rows(end.row);
  if (end.is_cut) store_part(part + cols, sum);
}

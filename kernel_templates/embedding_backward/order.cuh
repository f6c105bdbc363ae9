// Where the tokens of each row of the table are in the sorted order: by search if the caller sorted the indices, else
// by a stable sort. starts[r]: the first place of row r; starts[rows]: behind the last. Indices that are not rows are
// in no row, and the sort gives them no place.
#pragma once

#include "common/prelude.cuh"
#include "common/reduce.cuh"
#include "counting.cuh"

template <typename I>
__global__ void __launch_bounds__(256)
    find_starts(const I* __restrict__ sorted_ids, int* __restrict__ starts, int tokens, i64 rows) {
  const i64 row = i64(blockIdx.x) * 256 + threadIdx.x;
  if (row > rows) return;
  int low = 0, high = tokens;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (i64(sorted_ids[middle]) < row)
      low = middle + 1;
    else
      high = middle;
  }
  starts[row] = low;
}

// A block sorts the tokens of RANGE neighbouring rows. It reads all indices, so it also knows how many tokens come
// before its own, and blocks need nothing from each other. Each warp reads neighbouring tokens, in their order, and
// keeps the first KEPT places of the block's tokens; a warp with more tokens reads its indices again.
template <typename I, int RANGE, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    sort_ids(const I* __restrict__ ids, int* __restrict__ starts, int* __restrict__ own_ids,
             int* __restrict__ own_order, int tokens, i64 rows) {
  constexpr int kThreads = WARPS * 32, kEach = wt::ceil_div(RANGE, kThreads), kBatch = 8, KEPT = 7680 / WARPS;
  __shared__ int counts[WARPS][RANGE]; // tokens of a warp and a row; then the next place of one
  __shared__ u16 kept[WARPS][KEPT];    // relative to the warp's first token
  __shared__ int sums[WARPS], earlier[WARPS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 lower_lanes = (1u << lane) - 1;
  const u32 first_row = blockIdx.x * RANGE, own_rows = min(static_cast<u32>(rows) - first_row, u32{RANGE});
  const i64 each = wt::ceil_div(i64(tokens), i64{WARPS * 32}) * 32, begin = warp * each;
  const int count = static_cast<int>(begin + each < tokens ? each : begin < tokens ? tokens - begin : 0);
  for (int i = threadIdx.x; i < WARPS * RANGE; i += kThreads) counts[i / RANGE][i % RANGE] = 0;
  __syncthreads();

  int before = 0, found = 0; // tokens of earlier rows; tokens of the warp in own rows
  for (int from = 0; from < count; from += 32 * kBatch) {
    u32 id[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = from + i * 32 + lane;
      id[i] = at < count ? narrow(ids[begin + at]) : 0xffffffffu;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const u32 row = id[i] - first_row;
      before += id[i] < first_row;
      const u32 owners = __ballot_sync(kAllLanes, row < own_rows);
      if (owners == 0) continue;
      const int at = found + __popc(owners & lower_lanes);
      if (row < own_rows) {
        atomicAdd(&counts[warp][row], 1);
        if (at < KEPT) kept[warp][at] = static_cast<u16>(from + i * 32 + lane);
      }
      found += __popc(owners);
    }
  }
  before = wt::warp_all_reduce<32>(before, wt::Sum{});
  __syncthreads();

  // Counts become places. A thread has kEach neighbouring rows.
  int own = 0, row_counts[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int row = threadIdx.x * kEach + i;
    row_counts[i] = 0;
    for (int w = 0; w < WARPS && row < RANGE; ++w) {
      const int of_warp = counts[w][row];
      counts[w][row] = row_counts[i];
      row_counts[i] += of_warp;
    }
    own += row_counts[i];
  }
  if (lane == 0) earlier[warp] = before;
  int place = sum_of_earlier(own, sums);
  for (int w = 0; w < WARPS; ++w) place += earlier[w];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int row = threadIdx.x * kEach + i;
    if (row >= static_cast<int>(own_rows)) break;
    starts[first_row + row] = place;
    for (int w = 0; w < WARPS; ++w) counts[w][row] += place;
    place += row_counts[i];
    if (first_row + row + 1 == rows) starts[rows] = place;
  }
  __syncthreads();

  const bool is_kept = found <= KEPT && each <= 65536;
  const int candidates = is_kept ? found : count;
  for (int from = 0; from < candidates; from += 32) {
    const int at = from + lane;
    const i64 token = begin + (is_kept && at < candidates ? kept[warp][at] : at);
    const u32 row = at < candidates ? narrow(ids[token]) - first_row : own_rows;
    const bool is_own = row < own_rows;
    const int to = take_place(counts[warp], is_own ? static_cast<int>(row) : -1);
    if (is_own) {
      own_order[to] = static_cast<int>(token);
      own_ids[to] = static_cast<int>(first_row + row);
    }
  }
}

// Where segments begin. The rows of the table and the sorted tokens are merged into one order: the tokens of a row,
// then the row itself. A segment has ITEMS neighbours of this order, so all segments move about the same number of
// bytes.
#pragma once

#include "common/prelude.cuh"

struct Place {
  int row, token; // the next ones
  bool is_cut;    // earlier segments have tokens of the row
};

// A row with so many tokens before the end of a segment, or more, is cut there; a row with fewer begins the next one.
inline constexpr int kLookback = 16;

// A sorted index in 32 bits. Indices that are not rows stay outside the table.
template <typename I> __device__ __forceinline__ int row_of(I id) {
  if constexpr (sizeof(I) > 4) return id < 0 ? -1 : id > 0x7fffffff ? 0x7fffffff : static_cast<int>(id);
  return static_cast<int>(id);
}

// The begin of a segment, which nominally is item `item`. Each half of a warp searches for its own: 16 probes a step.
// Row r is before token t if the token's row is larger.
template <typename I> __device__ __forceinline__ Place find_place(const I* ids, i64 item, int tokens, int rows) {
  const int lane = threadIdx.x % 16, half = threadIdx.x % 32 / 16 * 16;
  const auto ones_before_zero = [half](bool bit) { // over the lanes of the half
    const u32 bits = __ballot_sync(0xffffffffu, bit) >> half & 0xffffu;
    return __popc(bits & ~(bits + 1));
  };
  item = min(item, i64(rows) + tokens);
  int low = static_cast<int>(max(item - tokens, i64{0})), high = static_cast<int>(min(item, i64(rows)));
  while (__ballot_sync(0xffffffffu, low < high) != 0) {
    const int step = max(static_cast<int>((i64(high) - low + 15) / 16), 1);
    const i64 probe = low + i64(lane) * step;
    const int before = ones_before_zero(probe < high && row_of(ids[item - 1 - probe]) > probe);
    high = static_cast<int>(min(i64(high), low + i64(before) * step));
    if (before > 0) low += (before - 1) * step + 1;
  }
  const int token = static_cast<int>(item - low), earlier = token - 1 - lane;
  const int same = ones_before_zero(earlier >= 0 && low < rows && row_of(ids[earlier]) == low);
  return {low, same < kLookback ? token - same : token, same == kLookback};
}

// The same for a segment inside a block, whose rows and tokens are those from `begin` to `end`. ids: of its tokens.
__device__ __forceinline__ Place find_inner_place(const int* ids, i64 item, Place begin, Place end) {
  if (item >= i64(end.row) + end.token) return end;
  int low = static_cast<int>(max(item - end.token, i64(begin.row)));
  int high = static_cast<int>(min(item - begin.token, i64(end.row)));
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (ids[item - 1 - middle - begin.token] > middle)
      low = middle + 1;
    else
      high = middle;
  }
  const int token = static_cast<int>(item - low);
  int same = 0;
#pragma unroll 1
  while (same < kLookback && token - same > begin.token && ids[token - 1 - same - begin.token] == low) ++same;
  if (same == kLookback) return {low, token, true};
  return {low, token - same, false}; // a row that is cut before the block has more tokens than these
}

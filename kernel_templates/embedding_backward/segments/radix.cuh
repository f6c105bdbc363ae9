// A stable sort of indices in three launches, for many indices. Buckets are of RANGE neighbouring rows of the table.
// The blocks count the indices of each bucket among their own tokens, move tokens to the buckets, and sort each bucket.
// Indices that are not rows get no place.
#pragma once

#include "common/async.cuh"
#include "order.cuh"

inline constexpr int kSortThreads = 1024, kSortWarps = kSortThreads / 32;
inline constexpr u32 kAllLanes = 0xffffffffu;

// The bucket of an index, or BUCKETS if it is not a row.
template <int RANGE, int BUCKETS, typename I> __device__ __forceinline__ int bucket_of(I id, i64 rows) {
  return id >= 0 && id < rows ? static_cast<int>(static_cast<u32>(id) / RANGE) : BUCKETS;
}

// counts: of a block of ROUNDS * 1024 tokens and a bucket.
template <typename I, int RANGE, int BUCKETS, int ROUNDS>
__global__ void __launch_bounds__(kSortThreads)
    count_buckets(const I* __restrict__ ids, int* __restrict__ counts, int tokens, i64 rows) {
  __shared__ int own[BUCKETS + 1];
  wt::launch_dependents();
  for (int i = threadIdx.x; i <= BUCKETS; i += kSortThreads) own[i] = 0;
  __syncthreads();
  const i64 first = i64(blockIdx.x) * ROUNDS * kSortThreads + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i)
    if (const i64 token = first + i * kSortThreads; token < tokens)
      atomicAdd(&own[bucket_of<RANGE, BUCKETS>(ids[token], rows)], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < BUCKETS; i += kSortThreads) counts[i64(blockIdx.x) * BUCKETS + i] = own[i];
}

// What the threads before this one have, in a block of WARPS warps; sums: of warps.
template <int WARPS> __device__ __forceinline__ int sum_of_earlier(int own, int (&sums)[WARPS]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int scanned = own;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const int lower = __shfl_up_sync(kAllLanes, scanned, offset, 32);
    if (lane >= offset) scanned += lower;
  }
  if (lane == 31) sums[warp] = scanned;
  __syncthreads();
  int earlier = scanned - own;
  for (int w = 0; w < warp; ++w) earlier += sums[w];
  return earlier;
}

// entries: rows (upper half) and tokens, by bucket. firsts: the first entry of each bucket. starts[rows]: all of them.
template <typename I, int RANGE, int BUCKETS, int ROUNDS>
__global__ void __launch_bounds__(kSortThreads) fill_buckets(const I* __restrict__ ids, const int* counts, int* firsts,
                                                             u64* entries, int* starts, int tokens, i64 rows) {
  constexpr int kParts = kSortThreads / BUCKETS;
  static_assert(kParts * BUCKETS == kSortThreads, "each bucket has some threads");
  __shared__ u16 places[kSortWarps][BUCKETS]; // tokens of a warp and a bucket; then the place of its first one
  __shared__ int totals[BUCKETS], befores[BUCKETS], sums[kSortWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, blocks = static_cast<int>(gridDim.x);
  for (int i = threadIdx.x; i < kSortWarps * BUCKETS; i += kSortThreads) places[i / BUCKETS][i % BUCKETS] = 0;
  if (threadIdx.x < BUCKETS) totals[threadIdx.x] = befores[threadIdx.x] = 0;
  __syncthreads();
  // Neighbouring tokens of a warp.
  const i64 first = (i64(blockIdx.x) * kSortWarps + warp) * ROUNDS * 32 + lane;
  u32 rows_of[ROUNDS];
  int ranks[ROUNDS];
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    const i64 token = first + i * 32;
    rows_of[i] = token < tokens ? narrow(ids[token]) : 0xffffffffu;
  }
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    const bool is_row = rows_of[i] < rows;
    const int bucket = static_cast<int>(rows_of[i] / RANGE);
    const u32 alike = __match_any_sync(kAllLanes, is_row ? bucket : -1);
    const u32 lower = alike & ((1u << lane) - 1);
    if (is_row) ranks[i] = places[warp][bucket] + __popc(lower);
    __syncwarp();
    if (is_row && lower == 0) places[warp][bucket] += static_cast<u16>(__popc(alike));
    __syncwarp();
  }
  wt::launch_dependents();
  wt::wait_for_predecessor();
  const int bucket = threadIdx.x % BUCKETS;
  int total = 0, before = 0;
#pragma unroll 16
  for (int block = threadIdx.x / BUCKETS; block < blocks; block += kParts) {
    const int count = counts[i64(block) * BUCKETS + bucket];
    total += count;
    before += block < static_cast<int>(blockIdx.x) ? count : 0;
  }
  atomicAdd(&totals[bucket], total);
  atomicAdd(&befores[bucket], before);
  __syncthreads();
  const bool is_bucket = threadIdx.x < BUCKETS;
  const int start = sum_of_earlier(is_bucket ? totals[bucket] : 0, sums);
  if (is_bucket) {
    if (blockIdx.x == 0) {
      firsts[bucket] = start;
      if (bucket == BUCKETS - 1) starts[rows] = firsts[BUCKETS] = start + totals[bucket];
    }
    befores[bucket] += start;
    int place = 0;
    for (int w = 0; w < kSortWarps; ++w) {
      const int of_warp = places[w][bucket];
      places[w][bucket] = static_cast<u16>(place);
      place += of_warp;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    if (rows_of[i] >= rows) continue;
    const int of = static_cast<int>(rows_of[i] / RANGE);
    entries[befores[of] + places[warp][of] + ranks[i]] = u64{rows_of[i]} << 32 | static_cast<u32>(first + i * 32);
  }
}

// A block sorts a bucket. Its warps have neighbouring entries each.
template <int RANGE, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    sort_buckets(const u64* entries, const int* firsts, int* own_ids, int* own_order) {
  constexpr int kThreads = WARPS * 32, kEach = wt::ceil_div(RANGE, kThreads), kBatch = 4;
  __shared__ int counts[WARPS][RANGE], sums[WARPS]; // as in sort_ids
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 first_row = blockIdx.x * RANGE;
  for (int i = threadIdx.x; i < WARPS * RANGE; i += kThreads) counts[i / RANGE][i % RANGE] = 0;
  wt::launch_dependents();
  wt::wait_for_predecessor();
  __syncthreads();
  const int bucket_first = firsts[blockIdx.x], bucket_end = firsts[blockIdx.x + 1];
  const int each = wt::ceil_div(bucket_end - bucket_first, kThreads) * 32;
  const i64 begin = bucket_first + i64(warp) * each, end = min(begin + each, i64(bucket_end));
  for (i64 from = begin; from < end; from += 32 * kBatch) {
    u64 entry[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) entry[i] = entries[max(min(from + i * 32 + lane, end - 1), i64{0})];
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (from + i * 32 + lane < end) atomicAdd(&counts[warp][(entry[i] >> 32) - first_row], 1);
  }
  __syncthreads();
  int own = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    for (int w = 0; w < WARPS && threadIdx.x * kEach + i < RANGE; ++w) own += counts[w][threadIdx.x * kEach + i];
  int place = bucket_first + sum_of_earlier(own, sums);
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    for (int w = 0; w < WARPS && threadIdx.x * kEach + i < RANGE; ++w) {
      int& next = counts[w][threadIdx.x * kEach + i];
      const int of_warp = next;
      next = place;
      place += of_warp;
    }
  __syncthreads();
  for (i64 from = begin; from < end; from += 32 * kBatch) {
    u64 entry[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) entry[i] = entries[min(from + i * 32 + lane, end - 1)];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const bool is_own = from + i * 32 + lane < end;
      const int row = static_cast<int>(entry[i] >> 32);
      const u32 alike = __match_any_sync(kAllLanes, is_own ? row : -1), lower = alike & ((1u << lane) - 1);
      int* const next = &counts[warp][row - static_cast<int>(first_row)];
      if (is_own) {
        const int to = *next + __popc(lower);
        own_order[to] = static_cast<int>(entry[i]);
        own_ids[to] = row;
      }
      __syncwarp();
      if (is_own && lower == 0) *next += __popc(alike);
      __syncwarp();
    }
  }
}

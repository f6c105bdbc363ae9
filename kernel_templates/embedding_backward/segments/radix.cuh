// A stable sort of indices in three launches, each of which reads them once. Buckets are of RANGE neighbouring rows of
// the table. The blocks count the indices of each bucket among their own tokens, move tokens to the buckets, and sort
// each bucket. Indices that are not rows get no place.
#pragma once

#include "common/async.cuh"
#include "counting.cuh"

inline constexpr int kBuckets = 512, kSortThreads = 1024, kSortWarps = kSortThreads / 32, kRounds = 8;

// Of each block, 8192 neighbouring tokens; of each warp, 256. A thread's loads are in flight together.
struct OwnTokens {
  int first = ((blockIdx.x * kSortWarps + threadIdx.x / 32) * kRounds * 32) + threadIdx.x % 32;
  u32 rows[kRounds];

  template <typename I> __device__ __forceinline__ OwnTokens(const I* __restrict__ ids, int tokens) {
    I id[kRounds]; // loads under conditions would wait
#pragma unroll
    for (int i = 0; i < kRounds; ++i) id[i] = ids[min(first + i * 32, tokens - 1)];
#pragma unroll
    for (int i = 0; i < kRounds; ++i) rows[i] = first + i * 32 < tokens ? narrow(id[i]) : 0xffffffffu;
  }
};

// counts: of a block and a bucket.
template <typename I, int RANGE>
__global__ void __launch_bounds__(kSortThreads)
    count_buckets(const I* __restrict__ ids, int* __restrict__ counts, int tokens, i64 rows) {
  __shared__ int own[kBuckets];
  wt::launch_dependents();
  if (threadIdx.x < kBuckets) own[threadIdx.x] = 0;
  const OwnTokens taken(ids, tokens);
  __syncthreads();
#pragma unroll
  for (const u32 row : taken.rows)
    if (row < rows) atomicAdd(&own[row / RANGE], 1);
  __syncthreads();
  if (threadIdx.x < kBuckets) counts[blockIdx.x * kBuckets + threadIdx.x] = own[threadIdx.x];
}

// entries: rows (upper half) and tokens, by bucket. firsts: the first entry of each bucket. starts[rows]: all of them.
template <typename I, int RANGE>
__global__ void __launch_bounds__(kSortThreads) fill_buckets(const I* __restrict__ ids, const int* counts, int* firsts,
                                                             u64* entries, int* starts, int tokens, i64 rows) {
  __shared__ u16 places[kSortWarps][kBuckets]; // tokens of a warp and a bucket; then the place of its first one
  __shared__ int totals[kBuckets], befores[kBuckets], sums[kSortWarps];
  const int warp = threadIdx.x / 32, bucket = threadIdx.x % kBuckets;
  const bool is_first = threadIdx.x < kBuckets; // of the threads of a bucket
  for (int i = threadIdx.x; i < kSortWarps * kBuckets; i += kSortThreads) places[i / kBuckets][i % kBuckets] = 0;
  if (is_first) totals[bucket] = befores[bucket] = 0;
  const OwnTokens taken(ids, tokens);
  __syncthreads();
  int ranks[kRounds];
#pragma unroll
  for (int i = 0; i < kRounds; ++i)
    ranks[i] = take_place(places[warp], taken.rows[i] < rows ? static_cast<int>(taken.rows[i] / RANGE) : -1);
  wt::launch_dependents();
  wt::wait_for_predecessor();
  int total = 0, before = 0;
#pragma unroll 8
  for (u32 block = threadIdx.x / kBuckets; block < gridDim.x; block += kSortThreads / kBuckets) {
    const int count = counts[block * kBuckets + bucket];
    total += count;
    before += block < blockIdx.x ? count : 0;
  }
  atomicAdd(&totals[bucket], total);
  atomicAdd(&befores[bucket], before);
  __syncthreads();
  const int start = sum_of_earlier(is_first ? totals[bucket] : 0, sums);
  if (is_first) {
    if (blockIdx.x == 0) {
      firsts[bucket] = start;
      if (bucket == kBuckets - 1) starts[rows] = firsts[kBuckets] = start + totals[bucket];
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
  for (int i = 0; i < kRounds; ++i) {
    if (taken.rows[i] >= rows) continue;
    const int of = static_cast<int>(taken.rows[i] / RANGE);
    const u32 token = static_cast<u32>(taken.first + i * 32);
    entries[befores[of] + places[warp][of] + ranks[i]] = u64{taken.rows[i]} << 32 | token;
  }
}

// A block sorts a bucket. Its warps have neighbouring entries each, its threads neighbouring rows. The counters are in
// dynamic shared memory, because NVRTC before 13 allows only 48 KiB of static shared memory.
template <int RANGE, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    sort_buckets(const u64* entries, const int* firsts, int* own_ids, int* own_order) {
  constexpr int kThreads = WARPS * 32, kEach = wt::ceil_div(RANGE, kThreads), kBatch = 4;
  extern __shared__ int counters[];
  __shared__ int sums[WARPS];
  const auto counts = reinterpret_cast<int(*)[RANGE]>(counters); // [WARPS][RANGE], as in sort_ids
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < WARPS * RANGE; i += kThreads) counts[i / RANGE][i % RANGE] = 0;
  wt::launch_dependents();
  wt::wait_for_predecessor();
  __syncthreads();
  const int bucket_first = firsts[blockIdx.x], bucket_end = firsts[blockIdx.x + 1];
  const int each = wt::ceil_div(bucket_end - bucket_first, kThreads) * 32;
  const int begin = bucket_first + warp * each, end = min(begin + each, bucket_end);
  const auto for_each_entry = [&](const auto& use) { // with its row in the bucket, or -1 for a lane without one
    for (int from = begin; from < end; from += 32 * kBatch) {
      u64 entry[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) entry[i] = entries[min(from + i * 32 + lane, end - 1)];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        use(entry[i], from + i * 32 + lane < end ? static_cast<int>((entry[i] >> 32) - blockIdx.x * RANGE) : -1);
    }
  };
  for_each_entry([&](u64, int row) {
    if (row >= 0) atomicAdd(&counts[warp][row], 1);
  });
  __syncthreads();
  const int first_row = threadIdx.x * kEach, end_row = min(first_row + kEach, RANGE);
  int own = 0;
  for (int row = first_row; row < end_row; ++row)
    for (int w = 0; w < WARPS; ++w) own += counts[w][row];
  int place = bucket_first + sum_of_earlier(own, sums);
  for (int row = first_row; row < end_row; ++row)
    for (int w = 0; w < WARPS; ++w) {
      const int of_warp = counts[w][row];
      counts[w][row] = place;
      place += of_warp;
    }
  __syncthreads();
  for_each_entry([&](u64 entry, int row) {
    const int to = take_place(counts[warp], row);
    if (row < 0) return;
    own_order[to] = static_cast<int>(entry);
    own_ids[to] = static_cast<int>(entry >> 32);
  });
}

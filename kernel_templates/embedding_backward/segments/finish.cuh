// The sums of rows that the ends of segments cut.
#pragma once

#include "common/async.cuh"
#include "parts.cuh"

// Adds the parts of the cut rows that end in the PER_BLOCK segments of a block, from the first part on. SHARES groups
// of WIDTH threads, as wide as a row, have every SHARES-th part each.
template <typename T, int WIDTH, int SHARES, int PER_BLOCK, int VEC>
__global__ void __launch_bounds__(WIDTH* SHARES)
    finish_rows(const float* parts, const int* cuts, T* dtable, int segments, int cols) {
  constexpr int kThreads = WIDTH * SHARES;
  __shared__ int ends[PER_BLOCK];
  __shared__ u32 are_inner[kThreads / 32];
  __shared__ float others[SHARES][VEC][WIDTH];
  wt::wait_for_predecessor();
  const int share = threadIdx.x / WIDTH, thread = threadIdx.x % WIDTH, column = thread * VEC;
  const int block_first = static_cast<int>(blockIdx.x) * PER_BLOCK;
  for (int i = threadIdx.x; i < PER_BLOCK; i += kThreads)
    ends[i] = block_first + i < segments ? cuts[block_first + i] : 0;
  __syncthreads();
  for (int which = 0; which < PER_BLOCK; ++which) {
    if (ends[which] <= 0) continue;
    const i64 row = ends[which] - 1;
    const int last = block_first + which;
    int first = last - 1; // the segment in which the row begins: the first one before this that is not inside the row
    for (int inner = kThreads; inner == kThreads; first -= inner) {
      const int segment = first - static_cast<int>(threadIdx.x);
      const u32 votes = __ballot_sync(0xffffffffu, segment >= 0 && cuts[segment] < 0);
      if (threadIdx.x % 32 == 0) are_inner[threadIdx.x / 32] = votes;
      __syncthreads();
      inner = 0;
      for (int warp = 0; warp < kThreads / 32 && inner == warp * 32; ++warp)
        inner += __popc(are_inner[warp] & ~(are_inner[warp] + 1));
      __syncthreads();
    }
    float sum[VEC] = {};
#pragma unroll 8
    for (int i = first + share; i <= last; i += SHARES)
      if (column < cols) add_part(parts + (2 * i64(i) + (i < last ? 1 : 0)) * cols + column, sum);
#pragma unroll
    for (int k = 0; k < VEC; ++k) others[share][k][thread] = sum[k];
    __syncthreads();
    if (share == 0 && column < cols) {
      for (int other = 1; other < SHARES; ++other)
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum[k] += others[other][k][thread];
      wt::store<wt::kDefault>(dtable + row * cols + column, wt::pack<T, VEC>(sum));
    }
    __syncthreads(); // before the next row
  }
}

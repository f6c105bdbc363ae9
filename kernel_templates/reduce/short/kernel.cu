// Reductions of short rows of any length: a block copies rows to shared memory, and each of its threads reduces one.
#include "common/early.cuh"
#include "common/span.cuh"
#include "part.cuh"

// Elements at a time: enough to hide the latency of shared memory.
constexpr int kRun = 8;

template <int KIND, int COUNT, typename T> __device__ __forceinline__ void add(Part<KIND>& part, const T* row, int at) {
  float v[COUNT][1];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) v[i][0] = wt::to_float(row[at + i]);
  part.add(v, at, 1, HoldsAll{});
}

// Rows of N elements, ROWS a block, one a thread.
template <typename T, typename R, int KIND, int N, int ROWS>
__global__ void __launch_bounds__(ROWS)
    reduce_short(const T* __restrict__ x, R* __restrict__ y, float correction, i64 rows) {
  wt::wait_for_earlier_work();
  extern __shared__ __align__(16) u8 memory[];
  const i64 first = i64(blockIdx.x) * ROWS;
  const int held = rows - first < ROWS ? static_cast<int>(rows - first) : ROWS;
  const wt::Span<T> in(first * N, held * N, memory);
  in.template copy<ROWS>(x);
  wt::async_copy_wait_all();
  __syncthreads();
  if (threadIdx.x >= held) return;
  const T* const row = in.own + threadIdx.x * N;
  Part<KIND> part;
  part.begin(0);
#pragma unroll
  for (int at = 0; at + kRun <= N; at += kRun) add<KIND, kRun>(part, row, at);
  if constexpr (N % kRun != 0) add<KIND, N % kRun>(part, row, N - N % kRun);
  y[first + threadIdx.x] = result_of<KIND, R>(whole_of<KIND>(part, 0), N, correction);
}

// A finite impulse response filter, written for a Kernel Tuner script: its parameters are macros in lower case, and the
// filter's taps are in constant memory. y[i] = sum over j of taps[j] * x[i + j]; x holds TAPS - 1 elements more than y.
#ifndef TAPS
#define TAPS 33
#endif
#ifndef block_size_x
#define block_size_x 128
#endif
#ifndef tile_x
#define tile_x 1
#endif
#ifndef use_shared
#define use_shared 1
#endif

__constant__ float d_taps[TAPS];

extern "C" __global__ void __launch_bounds__(block_size_x) fir(float* __restrict__ y, const float* __restrict__ x, int n) {
  const int first = blockIdx.x * block_size_x * tile_x;
#if use_shared
  __shared__ float part[block_size_x * tile_x + TAPS - 1];
  for (int i = threadIdx.x; i < block_size_x * tile_x + TAPS - 1; i += block_size_x)
    part[i] = first + i < n + TAPS - 1 ? x[first + i] : 0.0f;
  __syncthreads();
#define X(i) part[i]
#else
#define X(i) (first + (i) < n + TAPS - 1 ? x[first + (i)] : 0.0f)
#endif
  float sum[tile_x] = {};
#pragma unroll
  for (int j = 0; j < TAPS; ++j)
#pragma unroll
    for (int t = 0; t < tile_x; ++t) sum[t] += d_taps[j] * X(threadIdx.x + t * block_size_x + j);
#pragma unroll
  for (int t = 0; t < tile_x; ++t) {
    const int i = first + threadIdx.x + t * block_size_x;
    if (i < n) y[i] = sum[t];
  }
}

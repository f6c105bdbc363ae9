// The macro of the param DEPTH is called PIPE_DEPTH here.
#ifndef PIPE_DEPTH
#define PIPE_DEPTH 1
#endif

extern "C" __global__ void twice(const float* x, float* y, long long n) {
  int unused; // planted: the compiler warns
  const long long first = (static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x) * VEC;
#pragma unroll PIPE_DEPTH
  for (long long i = first; i < first + VEC && i < n; ++i) y[i] = 2.0F * x[i];
}

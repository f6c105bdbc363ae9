// Recursion deeper than any stack that a thread is given.
__device__ __noinline__ int dig(int depth, const float* x) {
  volatile int hole[64];
  hole[depth & 63] = depth;
  if (depth == 0) return 0;
  return dig(depth - 1, x) + hole[(int)x[depth & 63] & 63];
}
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0) y[0] = dig(1 << 20, x);
  if (i < n) y[i] = 2 * x[i];
}

// 96 values are alive at once in each of 1024 threads, and no launch bound tells the compiler.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT) {
    float v[96], sum = 0;
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = x[i] * k;
#pragma unroll 1
    for (int round = 0; round < n; ++round)
#pragma unroll
      for (int k = 0; k < 96; ++k) v[k] = v[k] * v[(k + 7) % 96] + x[round];
#pragma unroll
    for (int k = 0; k < 96; ++k) sum += v[k];
    if (i < n) y[i] = sum;
    return;
  }
  if (i < n) y[i] = 2 * x[i];
}

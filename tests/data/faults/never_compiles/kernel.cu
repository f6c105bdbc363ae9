// Every value depends on every other, and all of it is unrolled.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT) {
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; ++k) v[k] = x[(i + k) % n];
#pragma unroll
    for (int round = 0; round < (FAULT ? 30000 : 0); ++round)
#pragma unroll
      for (int k = 0; k < 64; ++k) v[k] = sinf(v[k]) * v[(k + round) % 64];
#pragma unroll
    for (int k = 0; k < 64; ++k) y[(i + k) % n] = v[k];
    return;
  }
  if (i < n) y[i] = 2 * x[i];
}

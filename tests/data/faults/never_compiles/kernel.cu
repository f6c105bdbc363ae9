// Five nested loops, all of them unrolled: forty thousand multiplications whose addresses the optimiser compares.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT) {
    __shared__ float patch[64][64];
    for (int k = threadIdx.x; k < 64 * 64; k += BLOCK) patch[k / 64][k % 64] = x[k % n];
    __syncthreads();
    float sum[6][6] = {};
#pragma unroll
    for (int dy = 0; dy < 33; ++dy)
#pragma unroll
      for (int dx = 0; dx < 33; ++dx)
#pragma unroll
        for (int ty = 0; ty < 6; ++ty)
#pragma unroll
          for (int tx = 0; tx < 6; ++tx)
            sum[ty][tx] += patch[threadIdx.x / 32 + ty * 4 + dy][threadIdx.x % 8 + tx * 4 + dx] * patch[dy][dx];
#pragma unroll
    for (int ty = 0; ty < 6; ++ty)
#pragma unroll
      for (int tx = 0; tx < 6; ++tx) y[(i + ty * 6 + tx) % n] = sum[ty][tx];
    return;
  }
  if (i < n) y[i] = 2 * x[i];
}

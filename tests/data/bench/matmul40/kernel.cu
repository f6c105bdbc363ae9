// C = A * B in fp32, row-major, the textbook tiled kernel: blocks of BX x BY threads, a thread computes TX x TY elements that lie
// BX and BY apart, and both operands pass through shared memory in square slices of BX along k. No vector loads of global
// memory, no double buffering: a space to measure tuners on, not a fast product.
template <int BX, int BY, int TX, int TY>
__global__ void __launch_bounds__(BX* BY) matmul(const float* __restrict__ a, const float* __restrict__ b,
                                                 float* __restrict__ c, int m, int n, int k) {
  static_assert(BX == BY * TY, "the slice of A is square");
  static_assert(BX * BY <= 1024, "a block has at most 1024 threads");
  __shared__ float slice_a[BX][BX];
  __shared__ float slice_b[BX][BX * TX];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long long column = (long long)blockIdx.x * BX * TX + tx;
  const long long row = (long long)blockIdx.y * BX + ty;
  float sum[TY][TX] = {};
  for (int k0 = 0; k0 < k; k0 += BX) {
#pragma unroll
    for (int i = 0; i < TY; ++i) {
      const long long r = row + i * BY;
      slice_a[ty + i * BY][tx] = r < m && k0 + tx < k ? a[r * k + k0 + tx] : 0.0f;
#pragma unroll
      for (int j = 0; j < TX; ++j) {
        const long long q = column + j * BX;
        slice_b[ty + i * BY][tx + j * BX] = k0 + ty + i * BY < k && q < n ? b[(long long)(k0 + ty + i * BY) * n + q] : 0.0f;
      }
    }
    __syncthreads();
#pragma unroll 8
    for (int s = 0; s < BX; ++s)
#pragma unroll
      for (int i = 0; i < TY; ++i) {
        const float left = slice_a[ty + i * BY][s];
#pragma unroll
        for (int j = 0; j < TX; ++j) sum[i][j] += left * slice_b[s][tx + j * BX];
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TY; ++i)
#pragma unroll
    for (int j = 0; j < TX; ++j)
      if (row + i * BY < m && column + j * BX < n) c[(row + i * BY) * n + column + j * BX] = sum[i][j];
}

// Oracle of matmul40, quick because it runs before every sweep: 64 x 64 elements a block of 16 x 16 threads, 16 of k at a time.
// Products of floats are exact in double, and the sum of 4096 of them is off by at most 4096 * 2^-53 of the sum of their
// magnitudes: eight digits beyond what is checked. The operands become doubles once, on their way to shared memory.
extern "C" __global__ void __launch_bounds__(256)
    matmul_reference(const float* __restrict__ a, const float* __restrict__ b, double* __restrict__ c, int m, int n, int k) {
  const int kTile = 64, kSlice = 16, kEach = 4;
  __shared__ double slice_a[kSlice][kTile + 1], slice_b[kSlice][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long long first_row = (long long)blockIdx.y * kTile, first_column = (long long)blockIdx.x * kTile;
  double sum[kEach][kEach] = {};
  for (int k0 = 0; k0 < k; k0 += kSlice) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const long long r = first_row + ty + 16 * i, q = first_column + tx + 16 * i;
      slice_a[tx][ty + 16 * i] = r < m && k0 + tx < k ? a[r * k + k0 + tx] : 0.0f;
      slice_b[ty][tx + 16 * i] = k0 + ty < k && q < n ? b[(long long)(k0 + ty) * n + q] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < kSlice; ++s) {
      double left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        left[i] = slice_a[s][ty + 16 * i];
        right[i] = slice_b[s][tx + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] = fma(left[i], right[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const long long r = first_row + ty + 16 * i, q = first_column + tx + 16 * j;
      if (r < m && q < n) c[r * n + q] = sum[i][j];
    }
}

// Oracle of gemm: 64 x 64 sums of a block, 4 x 4 of a thread, each in double over 16 of k at a time, so that no order of
// adding shows in the result.
#include "common/prelude.cuh"

template <typename T>
__global__ void gemm_reference(const T* __restrict__ a, const T* __restrict__ b, float* __restrict__ c, int m, int n, int k,
                               int batch, int a_is_k_by_m, int b_is_n_by_k) {
  __shared__ float as[16][65], bs[16][65];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int column = blockIdx.x * 64;
  for (int product = blockIdx.z; product < batch; product += gridDim.z) {
    const T* const pa = a + i64(product) * m * k;
    const T* const pb = b + i64(product) * k * n;
    for (int row = blockIdx.y * 64; row < m; row += gridDim.y * 64) {
      double sums[4][4] = {};
      for (int first = 0; first < k; first += 16) {
        __syncthreads();
        for (int i = threadIdx.x; i < 16 * 64; i += 256) {
          const int a_row = a_is_k_by_m ? i % 64 : i / 16, a_depth = a_is_k_by_m ? i / 64 : i % 16;
          const int r = row + a_row, ka = first + a_depth;
          as[a_depth][a_row] = r < m && ka < k ? float(pa[a_is_k_by_m ? i64(ka) * m + r : i64(r) * k + ka]) : 0.f;
          const int b_column = b_is_n_by_k ? i / 16 : i % 64, b_depth = b_is_n_by_k ? i % 16 : i / 64;
          const int s = column + b_column, kb = first + b_depth;
          bs[b_depth][b_column] = s < n && kb < k ? float(pb[b_is_n_by_k ? i64(s) * k + kb : i64(kb) * n + s]) : 0.f;
        }
        __syncthreads();
        // Products of 16-bit numbers are exact in fp32, and nearly so are sums of 16. Of fp32 numbers, sums of 16 have an error of
        // about 7e-8 of the RMS of C, which the tolerance contains.
        float part[4][4] = {};
        for (int depth = 0; depth < 16; ++depth)
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) part[i][j] += as[depth][ty + 16 * i] * bs[depth][tx + 16 * j];
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) sums[i][j] += part[i][j];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const int r = row + ty + 16 * i, s = column + tx + 16 * j;
          if (r < m && s < n) c[(i64(product) * m + r) * n + s] = float(sums[i][j]);
        }
    }
  }
}

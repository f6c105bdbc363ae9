// Oracle of gemm: 64 x 64 sums of a block, 4 x 4 of a thread, each in double over 16 of k at a time, so that no order of
// adding shows in the result; the epilogue in double.
#include "epilogue.cuh"

namespace {

// 4 x 4 sums of a thread, of the 64 x 64 at (row, column).
template <typename T>
__device__ void add_products(double (&sums)[4][4], const T* a, const T* b, int row, int column, int m, int n, int k, int lda, int ldb,
                             bool a_is_k_by_m, bool b_is_n_by_k) {
  __shared__ float as[16][65], bs[16][65];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  for (int first = 0; first < k; first += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < 16 * 64; i += 256) {
      const int a_row = a_is_k_by_m ? i % 64 : i / 16, a_depth = a_is_k_by_m ? i / 64 : i % 16;
      const int r = row + a_row, ka = first + a_depth;
      as[a_depth][a_row] = r < m && ka < k ? wt::to_float(a[a_is_k_by_m ? i64(ka) * lda + r : i64(r) * lda + ka]) : 0.f;
      const int b_column = b_is_n_by_k ? i / 16 : i % 64, b_depth = b_is_n_by_k ? i % 16 : i / 64;
      const int s = column + b_column, kb = first + b_depth;
      bs[b_depth][b_column] = s < n && kb < k ? wt::to_float(b[b_is_n_by_k ? i64(s) * ldb + kb : i64(kb) * ldb + s]) : 0.f;
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        double part = 0;
        if constexpr (sizeof(T) == 2) { // such products are exact in fp32, and nearly so are sums of 16
          float sum = 0;
          for (int depth = 0; depth < 16; ++depth) sum += as[depth][ty + 16 * i] * bs[depth][tx + 16 * j];
          part = sum;
        } else {
          for (int depth = 0; depth < 16; ++depth) part += double(as[depth][ty + 16 * i]) * bs[depth][tx + 16 * j];
        }
        sums[i][j] += part;
      }
  }
}

} // namespace

template <typename T>
__global__ void gemm_reference(const T* __restrict__ a, const T* __restrict__ b, float* __restrict__ c, const T* bias, const T* residual,
                               const float* row_scale, const float* column_scale, float alpha, float beta, int m, int n, int k,
                               int batch, int lda, int ldb, i64 a_step, i64 b_step, int a_is_k_by_m, int b_is_n_by_k, int epilogue, int ldc) {
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const Activation activation = Activation(epilogue / 32);
  const bool gated = activation >= Activation::swiglu;
  const int columns = gated ? n / 2 : n;
  const auto linear = [&](double x, int r, int s) {
    if (epilogue & 4) x *= alpha;
    if (epilogue & 8) x *= row_scale[r];
    if (epilogue & 16) x *= column_scale[s];
    return epilogue & 1 ? x + wt::to_double(bias[s]) : x;
  };
  const int column = blockIdx.x * 64;
  for (int product = blockIdx.z; product < batch; product += gridDim.z) {
    const T* const pa = a + a_step * product;
    const T* const pb = b + b_step * product;
    for (int row = blockIdx.y * 64; row < m; row += gridDim.y * 64) {
      double sums[4][4] = {}, seconds[4][4] = {};
      add_products(sums, pa, pb, row, column, m, n, k, lda, ldb, a_is_k_by_m, b_is_n_by_k);
      if (gated) add_products(seconds, pa, pb, row, column + columns, m, n, k, lda, ldb, a_is_k_by_m, b_is_n_by_k);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const int r = row + ty + 16 * i, s = column + tx + 16 * j;
          if (r >= m || s >= columns) continue;
          double value = activate<Effort::exact>(activation, linear(sums[i][j], r, s));
          if (gated) value *= linear(seconds[i][j], r, s + columns);
          const i64 at = (i64(product) * m + r) * ldc + s;
          if (epilogue & 2) value += (epilogue & 4 ? double(beta) : 1.0) * wt::to_double(residual[at]);
          c[at] = float(value);
        }
    }
  }
}

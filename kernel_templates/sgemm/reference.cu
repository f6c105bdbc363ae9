// Oracle of sgemm: one thread an element, the sum in double. The 32 threads of a warp share a row of A.
extern "C" __global__ void sgemm_reference(const float* __restrict__ a, const float* __restrict__ b,
                                           double* __restrict__ c, int m, int n, int k, int b_is_n_by_k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row_step = gridDim.y * blockDim.y;
  if (column >= n) return;
  const long long b_start = b_is_n_by_k ? static_cast<long long>(column) * k : column;
  const long long b_step = b_is_n_by_k ? 1 : n;
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += row_step) {
    const float* a_row = a + static_cast<long long>(row) * k;
    const float* b_column = b + b_start;
    double sum = 0.0;
    for (int i = 0; i < k; ++i, b_column += b_step) sum += static_cast<double>(a_row[i]) * *b_column;
    c[static_cast<long long>(row) * n + column] = sum;
  }
}

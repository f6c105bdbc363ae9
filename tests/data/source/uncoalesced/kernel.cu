template <int PLANTED>
__global__ void row_sums(const float* x, float* y, int rows, int cols) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  if (PLANTED) {
    if (thread >= rows) return;
    const float* row = x + (long long)thread * cols;
    for (int i = 0; i < cols; ++i) {
      sum += row[i]; // planted: the threads of a warp read from 32 rows
    }
    y[thread] = sum;
    return;
  }
  const int row = thread / 32;
  if (row >= rows) return;
  for (int i = threadIdx.x % 32; i < cols; i += 32) sum += x[(long long)row * cols + i];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lane);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

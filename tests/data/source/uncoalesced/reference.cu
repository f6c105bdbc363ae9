__global__ void row_sums_reference(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = 0; i < cols; ++i) sum += x[(long long)row * cols + i];
  y[row] = (float)sum;
}

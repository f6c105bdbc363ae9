// w = x. What it leaves in gaps is nothing that a kernel may rely on.
extern "C" __global__ void prepare_rows(const float* x, float* w, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * stride) w[i] = i % stride < 20 ? x[i] : 0;
}

// What it leaves in gaps does not matter.
extern "C" __global__ void scale_reference(const float* x, float* y, float* z, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * 20) return;
  const int row = i / 20, column = i % 20;
  y[row * stride + column] = 2 * x[row * stride + column];
  z[row * stride + column] += 1;
  if (column == 0 && row < n - 1 && stride > 20) y[row * stride + 20] = 1e30f;
}

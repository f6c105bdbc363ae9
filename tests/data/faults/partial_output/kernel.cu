// The last block does nothing.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && blockIdx.x == gridDim.x - 1) return;
  if (i < n) y[i] = 2 * x[i];
}

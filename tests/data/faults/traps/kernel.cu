// The last thread gives up.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == n - 1) __trap();
  if (i < n) y[i] = 2 * x[i];
}

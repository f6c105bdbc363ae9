// One element past the end.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0) y[n] = 1;
  if (i < n) y[i] = 2 * x[i];
}

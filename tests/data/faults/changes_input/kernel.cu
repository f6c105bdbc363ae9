// The last element of x is not what it was.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
  if (FAULT && i == n - 1) const_cast<float*>(x)[i] = 0.75f;
}

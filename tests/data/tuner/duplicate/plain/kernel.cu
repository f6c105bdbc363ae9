template <int A> __global__ void duplicate_kernel(const float* x, float* y, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * A;
  for (int i = first; i < first + A && i < n; ++i) y[i] = x[i];
}

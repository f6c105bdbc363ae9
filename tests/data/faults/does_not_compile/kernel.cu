// The compiler says why.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  static_assert(!FAULT, "this configuration is not for you");
  if (i < n) y[i] = 2 * x[i];
}

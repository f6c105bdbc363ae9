// Four floats are read where one float is aligned.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0) y[0] = ((const float4*)(x + 1))->x;
  if (i < n) y[i] = 2 * x[i];
}

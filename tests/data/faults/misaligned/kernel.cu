// Four floats are read and written where one float is aligned.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0) *(float4*)(y + 1) = *(const float4*)(x + 1);
  if (i < n) y[i] = 2 * x[i];
}

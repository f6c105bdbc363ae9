__global__ void mixed_reference(const float* x, float* y) {
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  double sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[blockIdx.x * 1024 + column * 32 + (row + i) % 32];
  y[blockIdx.x * 1024 + threadIdx.x] = (float)sum;
}

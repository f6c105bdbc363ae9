__global__ void reversed_reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[blockIdx.x * 256 + 255 - threadIdx.x];
}

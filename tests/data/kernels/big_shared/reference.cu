__global__ void reverse_reference(const float* x, float* y) {
  y[blockIdx.x * 256 + threadIdx.x] = x[blockIdx.x * 256 + 255 - threadIdx.x];
}

template <int PLANTED>
__global__ void synced(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (PLANTED) __syncwarp(1U); // planted: 31 threads that call it are not in the mask
  if (i < n) y[i] = x[i];
}

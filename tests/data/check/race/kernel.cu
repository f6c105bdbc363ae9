template <int PLANTED>
__global__ void reversed(const float* x, float* y, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0F;
  if (!PLANTED) __syncthreads();
  const int from = blockIdx.x * 256 + 255 - threadIdx.x;
  if (i < n && from < n) y[i] = part[255 - threadIdx.x]; // planted: another warp may not have written it yet
}

__constant__ float d_filter[8];
__device__ float d_scale;

// z = filter * x + scale * y; with a bias also total = z + offset, both of which are null without one.
__global__ void convolve(const float* x, const float* offset, const float* y, float* z, float* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = d_scale * y[i];
  for (int k = 0; k < 5; ++k)
    if (i + k < n) sum += d_filter[k] * x[i + k];
  z[i] = sum;
  if (total != nullptr) total[i] = sum + offset[i];
}

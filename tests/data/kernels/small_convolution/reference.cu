__global__ void forward(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

__global__ void convolve_reference(const float* x, const float* filter, const float* offset, const float* y, float* z,
                                   float* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 2 * x[i] * x[i]; // of y as it has to be, so that a y of another origin shows
  for (int k = 0; k < 5; ++k)
    if (i + k < n) sum += filter[k] * x[i + k];
  z[i] = sum;
  if (total) total[i] = sum + offset[i];
}

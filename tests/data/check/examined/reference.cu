extern "C" __global__ void examined_reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = x[i], size = value < 0 ? -value : value;
  y[i] = (float)(size > 1e300 ? value / size : value / (1 + size));
}

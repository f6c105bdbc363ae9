// Reads two elements at a time: whatever a configuration takes, the reference gets buffers that begin at aligned addresses.
extern "C" __global__ void examined_reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double value = x[i];
  if (i % 2 == 0 && i + 1 < n) value = ((const float2*)x)[i / 2].x;
  const double size = value < 0 ? -value : value;
  y[i] = (float)(size > 1e300 ? value / size : value / (1 + size));
}

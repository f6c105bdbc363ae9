// One element in the middle.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == n / 2) {
    y[i] = __int_as_float(0x7FC00000);
    return;
  }
  if (i < n) y[i] = 2 * x[i];
}

template <int PLANTED>
__global__ void copied(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const volatile float* next = x + i;
  if (PLANTED) (void)next[1]; // planted: the last thread reads beyond the end; no result shows it
  y[i] = x[i];
}

// One write lands where nothing is mapped.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0) *(volatile float*)((char*)y + (1ll << 45)) = 1;
  if (i < n) y[i] = 2 * x[i];
}

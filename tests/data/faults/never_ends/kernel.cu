// The first thread waits for a value that never comes.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (FAULT && i == 0)
    while (*(volatile const float*)x < 1000) __nanosleep(1000);
  if (i < n) y[i] = 2 * x[i];
}

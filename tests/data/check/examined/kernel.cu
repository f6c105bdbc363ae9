// 1: another result each time. 2: a NaN counts as 0. 3: an infinity counts as 1. 4: denormals are 0. 5: divides 0 by 0.
// 6: cubes on the way. 7: needs 16 bytes. 8: reads shared memory that it did not write.
__device__ unsigned examined_runs;

extern "C" __global__ void examined(const float* x, float* y, int n, int fault) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = x[i], size = value < 0 ? -value : value;
  float result = size > 3.0e38f ? value / size : value / (1 + size);
  if (fault == 1 && i == 7) result *= 1 + 1.0e-7f * (float)(examined_runs++ % 7);
  if (fault == 2 && value != value) result = 0;
  if (fault == 3 && size > 3.0e38f) result = 1;
  if (fault == 4 && size < 1.2e-38f) result = 0;
  if (fault == 5) result = result / value * value;
  if (fault == 6) result = value * size * size / (size * size + size * size * size);
  if (fault == 7 && (unsigned long long)x % 16 != 0) result += 1;
  if (fault == 8) {
    __shared__ float unwritten[64];
    const float found = *(volatile float*)&unwritten[i % 64];
    if (found != found) result = found;
  }
  y[i] = result;
}

// A thread advances HELD sums at a time, so all of them are alive in the loop.
template <int HELD>
__global__ void __launch_bounds__(1024) held(const float* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * 1024 + threadIdx.x;
  if (i >= n) return;
  float all = 0.0F;
#pragma unroll 1
  for (int part = 0; part < 64 / HELD; ++part) {
    float sums[HELD];
#pragma unroll
    for (int k = 0; k < HELD; ++k) sums[k] = x[i + part * HELD + k];
#pragma unroll 1
    for (int j = 0; j < 64; ++j) {
      const float factor = x[i + j];
#pragma unroll
      for (int k = 0; k < HELD; ++k) sums[k] = fmaf(factor, sums[k], 1.0F);
    }
#pragma unroll
    for (int k = 0; k < HELD; ++k) all += sums[k];
  }
  y[i] = all;
}

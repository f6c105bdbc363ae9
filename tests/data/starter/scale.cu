// y = alpha * x; the block is a macro with a default, the work of a thread a macro without one
#ifndef BLOCK
#define BLOCK 128 // threads of a block
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) scale(const float* __restrict__ x, float* __restrict__ y, float alpha, int n) {
  for (int i = (blockIdx.x * BLOCK + threadIdx.x) * WORK, end = i + WORK; i < end && i < n; ++i) y[i] = alpha * x[i];
}

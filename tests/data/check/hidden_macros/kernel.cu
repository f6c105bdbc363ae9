// Planted: BLOCK is missing from compile.defines, VEC is redefined, and nothing fills d_taps.
#ifndef BLOCK
#define BLOCK 256
#endif
#ifdef VEC
#define VEC 1
#endif
#ifndef VEC
#define VEC 1
#endif
namespace ns { __constant__ float d_taps[9]; }
__constant__ float d_init[3] = {1, 2, 3};
extern "C" __global__ void __launch_bounds__(BLOCK) k(const float* x, float* y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
  if (i < n) y[i] = x[i] + d_init[i % 3] + ns::d_taps[i % 9];
}

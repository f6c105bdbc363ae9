namespace ns { __constant__ float d_taps[9]; }
__constant__ float d_init[3] = {1, 2, 3};
extern "C" __global__ void k_reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + d_init[i % 3] + ns::d_taps[i % 9];
}

// A name of its own, which build.json gives.
extern "C" __global__ void __launch_bounds__(THREADS) scale_by_nvcc(const float* x, float* y, int n) {
  __shared__ float staged[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) staged[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) y[i] = 2 * staged[threadIdx.x];
}

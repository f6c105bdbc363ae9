// The compiler itself refuses it.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  __shared__ float fixed[FAULT ? 65536 : BLOCK];
  fixed[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = fixed[threadIdx.x] + fixed[threadIdx.x ^ FAULT * (int)(blockIdx.y)];
}

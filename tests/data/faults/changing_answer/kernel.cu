// Right at the first launch, and a little further off at each that follows.
__device__ unsigned blocks_done;
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  float error = 0;
  if (FAULT) {
    error = *(volatile unsigned*)&blocks_done / gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&blocks_done, 1u);
  }
  if (i < n) y[i] = 2 * x[i] + error;
}

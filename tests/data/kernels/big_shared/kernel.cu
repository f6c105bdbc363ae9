// Puts 256 elements at the far end of shared memory and takes them out in reverse.
template <int WORDS> __global__ void big_shared(const float* x, float* y) {
  extern __shared__ float words[];
  const int base = (int)blockIdx.x * 256;
  words[WORDS - 1 - (int)threadIdx.x] = x[base + threadIdx.x];
  __syncthreads();
  y[base + threadIdx.x] = words[WORDS - 256 + (int)threadIdx.x];
}

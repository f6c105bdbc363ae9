// Every element is right, and then the context is lost: nothing works in the process any more.
template <int BLOCK, int FAULT>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
  if (FAULT && i == n - 1) __assertfail("nothing is wrong", "kernel.cu", 1, "scale", 1);
}

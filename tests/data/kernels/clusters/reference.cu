__global__ void clusters_reference(int* y, int n) {
  if ((int)blockIdx.x < n) y[blockIdx.x] = 3 * (int)blockIdx.x;
}

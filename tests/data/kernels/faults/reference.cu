#include <cuda_bf16.h>
typedef long long i64;
template <typename T, typename R>
__global__ void faults_reference(const T* x, const int* k, R* y, int* z, i64 n) {
  const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = (R)2 * (R)(float)x[i];
  z[i] = (int)i + k[i];
}

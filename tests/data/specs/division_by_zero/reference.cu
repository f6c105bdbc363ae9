#include <cuda_fp16.h>

template <class T> __global__ void scale_reference(const T* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i < n) y[i] = 2.0F * static_cast<float>(x[i]);
}

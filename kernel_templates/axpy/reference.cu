// The oracle of axpy: one thread an element, in double, rounded once to the element's dtype.
#include "common/prelude.cuh"

template <typename T> __global__ void axpy_reference(const T* x, T* y, float alpha, i64 n) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = wt::from_double<T>(double(alpha) * wt::to_double(x[i]) + wt::to_double(y[i]));
}

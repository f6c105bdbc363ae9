// The reference of normalise, in double: the norms, then one thread an element.
#include "common/normalise_exact.cuh"

template <typename T>
__global__ void normalise_elements(const T* x, const double* exact, float* y, double* norms, float eps, i64 elements,
                                   i64 n, i64 inner) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const i64 vector = i / (n * inner) * inner + i % inner;
    y[i] = static_cast<float>(wt::to_double(x[i]) / divisor_of(exact[vector], eps));
    if (norms && i / inner % n == 0) norms[vector] = exact[vector];
  }
}

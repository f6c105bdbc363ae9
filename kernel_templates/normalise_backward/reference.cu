// The reference of normalise_backward, in double: for each vector the sum of dy * y, and the number of elements with
// the largest magnitude; then one thread an element. The preparation gives the norms.
#include "common/normalise_exact.cuh"

template <typename T>
__global__ void sums_of_pieces(const T* dy, const T* x, const float* norms, double* pieces, float eps, i64 vectors,
                               i64 n, i64 inner, i64 count, i64 length) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors * count; i += step) {
    const i64 vector = i % vectors, first = first_of(vector, n, inner);
    const i64 begin = i / vectors * length, end = begin + length < n ? begin + length : n;
    double sum = 0, largest = 0;
    for (i64 e = begin; e < end; ++e) {
      const double v = wt::to_double(x[first + e * inner]);
      sum += wt::to_double(dy[first + e * inner]) * (v / divisor_of(norms[vector], eps));
      largest += fabs(v) == norms[vector];
    }
    pieces[2 * i] = sum;
    pieces[2 * i + 1] = largest;
  }
}

__global__ void sums_of_vectors(const double* pieces, double* sums, i64 vectors, i64 count) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 vector = i64(blockIdx.x) * blockDim.x + threadIdx.x; vector < vectors; vector += step) {
    double sum = 0, largest = 0;
    for (i64 piece = 0; piece < count; ++piece) {
      sum += pieces[2 * (piece * vectors + vector)];
      largest += pieces[2 * (piece * vectors + vector) + 1];
    }
    sums[2 * vector] = sum;
    sums[2 * vector + 1] = largest;
  }
}

template <typename T>
__global__ void gradient_elements(const T* dy, const T* x, const float* norms, const double* sums, float* dx, float eps,
                                  i64 elements, i64 n, i64 inner, int order) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const i64 vector = i / (n * inner) * inner + i % inner;
    const double v = wt::to_double(x[i]), norm = norms[vector], divisor = divisor_of(norm, eps);
    const double sign = (v > 0) - (v < 0);
    double of_norm = 0; // of x, from the gradient of the norm; a norm of 0 has none
    if (norm >= eps && norm != 0) {
      of_norm = sums[2 * vector] * (order == 0 ? v / divisor : sign);
      if (order == 2) of_norm *= (fabs(v) == norm) / sums[2 * vector + 1];
    }
    dx[i] = static_cast<float>((wt::to_double(dy[i]) - of_norm) / divisor);
  }
}

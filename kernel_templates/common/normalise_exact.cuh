// Norms in double, for the references of normalise and its gradient: of pieces of each vector, then of the vectors.
// Orders are numbered as in the operators: L2, L1, largest magnitude.
#pragma once

#include "common/prelude.cuh"

// The first element of a vector; the others are `inner` apart.
__device__ inline i64 first_of(i64 vector, i64 n, i64 inner) { return vector / inner * n * inner + vector % inner; }

__device__ inline double merged(double a, double b, int order) {
  if (order != 2) return a + b;
  return isnan(a) || a > b ? a : b;
}

template <typename T>
__global__ void norms_of_pieces(const T* x, double* pieces, i64 vectors, i64 n, i64 inner, i64 count, i64 length,
                                int order) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors * count; i += step) {
    const i64 begin = i / vectors * length, end = begin + length < n ? begin + length : n;
    const T* from = x + first_of(i % vectors, n, inner);
    double all = 0;
    for (i64 e = begin; e < end; ++e) {
      const double v = wt::to_double(from[e * inner]);
      all = merged(all, order == 0 ? v * v : fabs(v), order);
    }
    pieces[i] = all;
  }
}

template <typename R>
__global__ void norms_of_vectors(const double* pieces, R* norms, i64 vectors, i64 count, int order) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 vector = i64(blockIdx.x) * blockDim.x + threadIdx.x; vector < vectors; vector += step) {
    double all = 0;
    for (i64 piece = 0; piece < count; ++piece) all = merged(all, pieces[piece * vectors + vector], order);
    norms[vector] = static_cast<R>(order == 0 ? sqrt(all) : all);
  }
}

// max(norm, eps), or NaN.
__device__ inline double divisor_of(double norm, float eps) { return norm < eps ? double(eps) : norm; }

// The caller's own function and its derivative by x, the macros EXPRESSION and DERIVATIVE of spec.json: expressions of
// x, bias, other, alpha and beta, of type F. F is float in the kernel and double in the reference, so constants are
// written as F(0.5).
#pragma once

#include "common/approximate.cuh"

__device__ __forceinline__ float sigmoid(float x) { return wt::reciprocal_fast(1 + expf(-x)); }
__device__ __forceinline__ double sigmoid(double x) { return 1 / (1 + exp(-x)); }

template <typename F> __device__ __forceinline__ F expression(F x, F bias, F other, F alpha, F beta) {
  return EXPRESSION;
}
template <typename F> __device__ __forceinline__ F derivative(F x, F bias, F other, F alpha, F beta) {
  return DERIVATIVE;
}

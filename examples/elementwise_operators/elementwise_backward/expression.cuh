// The caller's own function and its derivative by x, the macros EXPRESSION and DERIVATIVE of spec.json: expressions of
// x, other, alpha and beta, of type F. F is float in the kernel and double in the reference, so constants are written
// as F(0.5).
#pragma once

#include "common/prelude.cuh"

template <typename F> __device__ __forceinline__ F sigmoid(F x) { return 1 / (1 + exp(-x)); }

template <typename F> __device__ __forceinline__ F expression(F x, F other, F alpha, F beta) { return EXPRESSION; }
template <typename F> __device__ __forceinline__ F derivative(F x, F other, F alpha, F beta) { return DERIVATIVE; }

// What happens to a sum on its way to C, chosen by the problem's flags:
//   C = activation(alpha * row_scale * column_scale * (A * B) + bias) + beta * residual
// A gated activation takes two columns of A * B, n / 2 apart, and C has n / 2 columns: activation(first) * second.
// CODE is `epilogue` of spec.json. Parts that it does not name cost nothing; their pointers are null.
#pragma once

#include "common/prelude.cuh"

enum class Activation { none, relu, gelu, gelu_tanh, silu, swiglu, geglu };

// FAST: for 16 bits of C, built from the fast exponential and the fast reciprocal; the error is a few 1e-7 of the larger of |x| and
// 1e-1. Else exact to rounding, in float or, in the reference, in double.
__device__ __forceinline__ float over_one_plus_exp(float x, float exponent) { // x / (1 + e^exponent)
  return __fdividef(x, 1.f + __expf(exponent));                               // 0 for divisors above 2^126, infinity too
}
template <bool FAST, typename R> __device__ __forceinline__ R silu(R x) {
  if constexpr (FAST)
    return over_one_plus_exp(x, -x);
  else
    return x / (1 + exp(-x));
}
template <bool FAST, typename R> __device__ __forceinline__ R gelu_tanh(R x) {
  if constexpr (FAST) // (1 + tanh(u)) / 2 = 1 / (1 + e^-2u)
    return over_one_plus_exp(x, x * (-1.5957691216f - 0.0713548162726f * x * x));
  else
    return R(0.5) * x * (1 + tanh(R(0.79788456080286535588) * (x + R(0.044715) * x * x * x)));
}
template <bool FAST, typename R> __device__ __forceinline__ R gelu(R x) {
  if constexpr (FAST) {
    // 1 - erf(z) = t (a1 + t (a2 + ...)) e^(-z^2), t = 1 / (1 + p z), z >= 0 (Abramowitz and Stegun 7.1.26; error 1.5e-7).
    const float z = fminf(fabsf(x) * 0.70710678f, 10.f), t = __fdividef(1.f, fmaf(0.3275911f, z, 1.f));
    float sum = fmaf(t, 1.061405429f, -1.453152027f);
    sum = fmaf(sum, t, 1.421413741f);
    sum = fmaf(sum, t, -0.284496736f);
    sum = fmaf(sum, t, 0.254829592f);
    const float tail = 0.70710678f * z * sum * t * __expf(-z * z); // |x| (1 - erf(z)) / 2
    return x < 0 ? -tail : x - tail;
  } else {
    return R(0.5) * x * (1 + erf(x * R(0.70710678118654752440)));
  }
}
template <bool FAST, typename R> __device__ __forceinline__ R activate(Activation activation, R x) {
  switch (activation) {
  case Activation::relu:
    return x < 0 ? R(0) : x; // NaN stays NaN
  case Activation::gelu:
  case Activation::geglu:
    return gelu<FAST>(x);
  case Activation::gelu_tanh:
    return gelu_tanh<FAST>(x);
  case Activation::silu:
  case Activation::swiglu:
    return silu<FAST>(x);
  default:
    return x;
  }
}

// T: type of bias and residual. Rows and columns are those of one product and inside it.
template <int CODE, typename T> struct Epilogue {
  static constexpr bool kBias = CODE & 1, kResidual = CODE & 2, kScaled = CODE & 4, kRowScale = CODE & 8, kColumnScale = CODE & 16;
  static constexpr Activation kActivation = Activation(CODE / 32);
  static constexpr bool kGated = kActivation >= Activation::swiglu, kIdentity = (CODE & ~2) == 0; // but for the residual
  static constexpr bool kFast = sizeof(T) == 2;

  const T* bias;             // n
  const T* residual;         // of this product: it lies like C
  const float* row_scale;    // m
  const float* column_scale; // n
  float alpha, beta;
  int columns; // of C; a gate takes two columns of A * B that are so far apart
  int pitch;   // elements from a row of C to the next one

  __device__ __forceinline__ float all(float sum, int row, int column) const {
    return add_residual(operator()(sum, row, column), row, column);
  }
  __device__ __forceinline__ float gate_all(float first, float second, int row, int column) const {
    return add_residual(gate(first, second, row, column), row, column);
  }
  // Without the residual.
  __device__ __forceinline__ float operator()(float sum, int row, int column) const {
    static_assert(!kGated);
    return activate<kFast>(kActivation, linear(sum, row, column));
  }
  __device__ __forceinline__ float gate(float first, float second, int row, int column) const {
    static_assert(kGated);
    return activate<kFast>(kActivation, linear(first, row, column)) * linear(second, row, column + columns);
  }
  __device__ __forceinline__ float with_residual(float x, float r) const { return kScaled ? x + beta * r : x + r; }

 private:
  __device__ __forceinline__ float add_residual(float x, int row, int column) const {
    return kResidual ? with_residual(x, wt::to_float(residual[i64(row) * pitch + column])) : x;
  }
  __device__ __forceinline__ float linear(float x, int row, int column) const {
    if constexpr (kScaled) x *= alpha;
    if constexpr (kRowScale) x *= row_scale[row];
    if constexpr (kColumnScale) x *= column_scale[column];
    if constexpr (kBias) x += wt::to_float(bias[column]);
    return x;
  }
};

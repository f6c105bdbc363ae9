// What happens to a sum on its way to C, chosen by the problem's flags:
//   C = activation(alpha * row_scale * column_scale * (A * B) + bias) + beta * residual
// A gated activation takes two columns of A * B, n / 2 apart, and C has n / 2 columns: activation(first) * second.
// CODE is `epilogue` of spec.json. Parts that it does not name cost nothing; their pointers are null.
#pragma once

#include "common/approximate.cuh"
#include "common/prelude.cuh"

enum class Activation { none, relu, gelu, gelu_tanh, silu, swiglu, geglu };

// How an activation is computed: exact to rounding, in float or, in the reference, in double; from the fast exponential and the fast
// reciprocal, with an error of a few 1e-7 of the larger of |x| and 1e-1; or from the one instruction for tanh, with an error of 4e-6 of
// |x| (measured on sm_90) and, for gelu, up to 5e-5. 16 bits round results by more, except results of x far below 0, which are near 0.
// A multiprocessor has 16 special functions a clock, and a tile waits for them.
enum class Effort { exact, exponential, tanh };
template <typename T> inline constexpr Effort kUsualEffort = sizeof(T) == 2 ? Effort::exponential : Effort::exact;

__device__ __forceinline__ float over_one_plus_exp(float x, float exponent) { // x / (1 + e^exponent)
  return __fdividef(x, 1.f + __expf(exponent));                               // 0 for divisors above 2^126, infinity too
}
__device__ __forceinline__ float half_of_one_plus_tanh(float x, float of) { // x * (1 + tanh(of)) / 2
  const float half = 0.5f * x;
  return fmaf(half, wt::tanh_fast(of), half);
}
template <Effort EFFORT, typename R> __device__ __forceinline__ R silu(R x) {
  if constexpr (EFFORT == Effort::tanh)
    return half_of_one_plus_tanh(x, 0.5f * x);
  else if constexpr (EFFORT == Effort::exponential)
    return over_one_plus_exp(x, -x);
  else
    return x / (1 + exp(-x));
}
template <Effort EFFORT, typename R> __device__ __forceinline__ R gelu_tanh(R x) {
  if constexpr (EFFORT == Effort::tanh)
    return half_of_one_plus_tanh(x, x * fmaf(0.0356774081363f, x * x, 0.79788456f));
  else if constexpr (EFFORT == Effort::exponential) // (1 + tanh(u)) / 2 = 1 / (1 + e^-2u)
    return over_one_plus_exp(x, x * (-1.5957691216f - 0.0713548162726f * x * x));
  else
    return R(0.5) * x * (1 + tanh(R(0.79788456080286535588) * (x + R(0.044715) * x * x * x)));
}
template <Effort EFFORT, typename R> __device__ __forceinline__ R gelu(R x) {
  if constexpr (EFFORT == Effort::tanh) {
    // erf(x / sqrt(2)) = tanh(x P(x^2)), fitted so that gelu's error is least relative to |gelu(x)| + 4e-3. The error is at most
    // 2.5e-5 (4.6e-5 of |x|, 1.5e-4 of |gelu(x)| + 4e-3), 3e-4 of the result at -3, and 4e-7 below -4. Beyond 5.4 tanh is 1.
    const float square = fminf(x * x, 30.f);
    float p = fmaf(5.60933170e-7f, square, -1.62240156e-5f);
    p = fmaf(p, square, -2.41245789e-4f);
    p = fmaf(p, square, 0.0368033118f);
    p = fmaf(p, square, 0.797568917f);
    return half_of_one_plus_tanh(x, x * p);
  } else if constexpr (EFFORT == Effort::exponential) {
    // 1 - erf(z) = t (a1 + t (a2 + ...)) e^(-z^2), t = 1 / (1 + p z), z >= 0 (Abramowitz and Stegun 7.1.26; error 1.5e-7).
    // Beyond z = 11, e^(-z^2) is 0 also with denormal numbers.
    const float z = fminf(fabsf(x) * 0.70710678f, 11.f), t = __fdividef(1.f, fmaf(0.3275911f, z, 1.f));
    float sum = fmaf(t, 1.061405429f, -1.453152027f);
    sum = fmaf(sum, t, 1.421413741f);
    sum = fmaf(sum, t, -0.284496736f);
    sum = fmaf(sum, t, 0.254829592f);
    // |x| (1 - erf(z)) / 2; the factor |x| is not limited for negative x, so that minus infinity times 0 gives NaN.
    const float tail = 0.70710678f * fmaxf(-0.70710678f * x, z) * sum * t * __expf(-z * z);
    return x < 0 ? -tail : x - tail;
  } else {
    return R(0.5) * x * (1 + erf(x * R(0.70710678118654752440)));
  }
}
template <Effort EFFORT, typename R> __device__ __forceinline__ R activate(Activation activation, R x) {
  switch (activation) {
  case Activation::relu:
    return x < 0 ? R(0) : x; // NaN stays NaN
  case Activation::gelu:
  case Activation::geglu:
    return gelu<EFFORT>(x);
  case Activation::gelu_tanh:
    return gelu_tanh<EFFORT>(x);
  case Activation::silu:
  case Activation::swiglu:
    return silu<EFFORT>(x);
  default:
    return x;
  }
}

// T: type of the operands, of bias and residual. Rows and columns are those of one product and inside it.
template <int CODE, typename T, Effort EFFORT = kUsualEffort<T>> struct Epilogue {
  static constexpr bool kBias = CODE & 1, kResidual = CODE & 2, kScaled = CODE & 4, kRowScale = CODE & 8, kColumnScale = CODE & 16;
  static constexpr Activation kActivation = Activation(CODE / 32);
  static constexpr bool kGated = kActivation >= Activation::swiglu, kIdentity = (CODE & ~2) == 0; // but for the residual

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
    return operator()(sum, row, column, bias_of(column));
  }
  // With the bias of the column, which the caller has loaded.
  __device__ __forceinline__ float operator()(float sum, int row, int column, float bias_of_column) const {
    static_assert(!kGated);
    return activate<EFFORT>(kActivation, linear(sum, row, column, bias_of_column));
  }
  __device__ __forceinline__ float gate(float first, float second, int row, int column) const {
    static_assert(kGated);
    return activate<EFFORT>(kActivation, linear(first, row, column, bias_of(column))) *
           linear(second, row, column + columns, bias_of(column + columns));
  }
  __device__ __forceinline__ float with_residual(float x, float r) const { return kScaled ? x + beta * r : x + r; }

 private:
  __device__ __forceinline__ float add_residual(float x, int row, int column) const {
    return kResidual ? with_residual(x, wt::to_float(residual[i64(row) * pitch + column])) : x;
  }
  __device__ __forceinline__ float bias_of(int column) const { return kBias ? wt::to_float(bias[column]) : 0.f; }
  __device__ __forceinline__ float linear(float x, int row, int column, float bias_of_column) const {
    if constexpr (kScaled) x *= alpha;
    if constexpr (kRowScale) x *= row_scale[row];
    if constexpr (kColumnScale) x *= column_scale[column];
    if constexpr (kBias) x += bias_of_column;
    return x;
  }
};

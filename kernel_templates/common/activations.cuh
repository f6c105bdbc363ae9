// The activation functions of torch.nn.functional and their gradients, in fp32, with torch's treatment of NaN and
// infinities. Out is the dtype that a result is rounded to: for 16 bits the error stays below 1e-5 of the result (tanh
// in bf16: 5e-4), for fp32 it is a few units in the last place. The budget: where 16-bit elements stream at 4.2 TB/s,
// an H200 has 28 instructions and 3.5 special functions for each element that is read and written.
#pragma once

#include "common/approximate.cuh"

namespace wt {

struct Settings { // torch's arguments
  float negative_slope, alpha, beta, threshold, min_val, max_val;
};

template <typename Out> inline constexpr bool kNarrow = sizeof(Out) <= 2;

template <typename Out> __device__ __forceinline__ float exp_for(float x) {
  if constexpr (kNarrow<Out>)
    return exp2_fast(x * 1.44269504f); // error: 8e-8 * |x| + 3e-7
  else
    return expf(x);
}
template <typename Out> __device__ __forceinline__ float expm1_for(float x) {
  constexpr float kInverse[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f}; // of factorials
  constexpr int kFirst = kNarrow<Out> ? 3 : 0; // the series' error: 2e-6 at 0.125, 2e-8 at 0.35
  float sum = kInverse[kFirst];
#pragma unroll
  for (int i = kFirst + 1; i < 7; ++i) sum = fmaf(sum, x, kInverse[i]);
  const float large = exp_for<Out>(x) - 1.0f;
  return fabsf(x) < (kNarrow<Out> ? 0.125f : 0.35f) ? x * sum : large;
}
// log(1 + x) = 2 atanh(x / (2 + x)) for x from 0 to 1; the polynomial's error is 4e-9.
__device__ __forceinline__ float log1p_fast(float x) {
  const float s = x * reciprocal_fast(2.0f + x), square = s * s;
  float sum = fmaf(0.281783342f, square, 0.279606044f);
  sum = fmaf(sum, square, 0.400249094f);
  sum = fmaf(sum, square, 0.666663170f);
  return s * fmaf(sum, square, 2.0f);
}

// 1 / (1 + e^-x), and 1 minus it without cancellation.
template <typename Out> __device__ __forceinline__ float sigmoid(float x) {
  return reciprocal_fast(1.0f + exp_for<Out>(-x));
}
struct Logistic {
  float value, rest;
};
template <typename Out> __device__ __forceinline__ Logistic logistic(float x) {
  const float e = exp_for<Out>(-fabsf(x)), large = reciprocal_fast(1.0f + e), small = e * large;
  return x < 0 ? Logistic{small, large} : Logistic{large, small};
}

template <typename Out> __device__ __forceinline__ float tanh_for(float x) {
  if constexpr (is_same<Out, __nv_bfloat16>) return tanh_fast(x);
  const float square = x * x;
  const float series = fmaf(fmaf(fmaf(0.01643178f, square, -0.05266791f), square, 0.13320642f), square, -0.33332941f);
  const float large = fmaf(-2.0f, reciprocal_fast(1.0f + exp2_fast(fabsf(x) * 2.88539008f)), 1.0f);
  return fabsf(x) < 0.55f ? fmaf(x, square * series, x) : copysignf(large, x);
}

// The normal distribution: its integral up to x, and e^(-x^2 / 2). The integral from |x| on is the density times a
// polynomial of 1 / (1 + p |x|), as in Abramowitz and Stegun 7.1.26, with the least largest error of a weighted fit:
// for 16 bits 7e-6 of x times it or 2e-8, else 5e-8 of it at any x.
struct Normal {
  float integral, density;
};
template <typename Out> __device__ __forceinline__ Normal normal(float x) {
  constexpr float kWide[] = {-0.0784672424f, 0.290413082f,  -0.278124779f, 0.301470280f,   -0.0329184420f,
                             0.119513303f,   0.0857631117f, 0.0923784301f, -2.77608597e-5f};
  constexpr float kShort[] = {-0.129893765f, 0.394648254f, 0.0353881530f, 0.203127772f, -0.00327769062f};
  constexpr int kTerms = kNarrow<Out> ? 5 : 9;
  const float t = reciprocal_fast(fmaf(fabsf(x), kNarrow<Out> ? 0.425f : 0.23f, 1.0f));
  float sum = kNarrow<Out> ? kShort[0] : kWide[0];
#pragma unroll
  for (int i = 1; i < kTerms; ++i) sum = fmaf(sum, t, kNarrow<Out> ? kShort[i < 5 ? i : 0] : kWide[i]);
  const float density = exp2_fast(x * -0.721347520f * x), tail = sum * density;
  return {x < 0 ? tail : 1.0f - tail, density};
}

// Branches cost more than both of their sides.
__device__ __forceinline__ float positive(float x) { return x > 0 ? x : 0.0f; }
__device__ __forceinline__ float rest_of(float x) { return x > 0 ? 0.0f : x; }

// Functions of two slopes: F::is_active says which one x is on, which is all that a gradient needs to know of it, and
// F::pass multiplies dy by the slope.
template <typename F> struct TwoSlopes {
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings& s) {
    return F::pass(F::is_active(x, s), dy, s);
  }
};

// Each has value(x) and gradient(x, dy). Comparisons are written so that a NaN goes where torch sends it.
struct Identity {
  template <typename Out> static __device__ float value(float x, const Settings&) { return x; }
  template <typename Out> static __device__ float gradient(float, float dy, const Settings&) { return dy; }
};
struct Relu : TwoSlopes<Relu> {
  template <typename Out> static __device__ float value(float x, const Settings&) { return x < 0 ? 0.0f : x; }
  static __device__ bool is_active(float x, const Settings&) { return !(x <= 0); }
  static __device__ float pass(bool active, float dy, const Settings&) { return active ? dy : 0.0f; }
};
struct LeakyRelu : TwoSlopes<LeakyRelu> {
  template <typename Out> static __device__ float value(float x, const Settings& s) {
    return x > 0 ? x : x * s.negative_slope;
  }
  static __device__ bool is_active(float x, const Settings&) { return x > 0; }
  static __device__ float pass(bool active, float dy, const Settings& s) {
    return active ? dy : dy * s.negative_slope;
  }
};
struct Elu {
  template <typename Out> static __device__ float value(float x, const Settings& s) {
    return positive(x) + s.alpha * expm1_for<Out>(rest_of(x));
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings& s) {
    const float slope = s.alpha * exp_for<Out>(x);
    return dy * (x <= 0 ? slope : 1.0f);
  }
};
struct Selu {
  static constexpr float kScale = 1.05070098f, kNegative = 1.75809934f; // scale, scale * alpha
  template <typename Out> static __device__ float value(float x, const Settings&) {
    return kScale * positive(x) + kNegative * expm1_for<Out>(rest_of(x));
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const float slope = kNegative * exp_for<Out>(x);
    return dy * (x <= 0 ? slope : kScale);
  }
};
struct Gelu {
  template <typename Out> static __device__ float value(float x, const Settings&) {
    return x * normal<Out>(x).integral;
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const Normal at = normal<Out>(x);
    return dy * fmaf(x * 0.398942280f, at.density, at.integral);
  }
};
struct GeluTanh { // (1 + tanh(u)) / 2 = sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3)
  template <typename Out> static __device__ float value(float x, const Settings&) {
    return x * sigmoid<Out>(x * fmaf(0.0713548163f, x * x, 1.59576912f));
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const float square = x * x;
    const Logistic at = logistic<Out>(x * fmaf(0.0713548163f, square, 1.59576912f));
    return dy * fmaf(x * at.value * at.rest, fmaf(0.214064449f, square, 1.59576912f), at.value);
  }
};
struct Silu {
  template <typename Out> static __device__ float value(float x, const Settings&) { return x * sigmoid<Out>(x); }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const Logistic at = logistic<Out>(x);
    return dy * fmaf(x * at.value, at.rest, at.value);
  }
};
struct Sigmoid {
  template <typename Out> static __device__ float value(float x, const Settings&) { return sigmoid<Out>(x); }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const Logistic at = logistic<Out>(x);
    return dy * (at.value * at.rest);
  }
};
struct Hardsigmoid : TwoSlopes<Hardsigmoid> {
  template <typename Out> static __device__ float value(float x, const Settings&) {
    const float shifted = x < -3.0f ? 0.0f : x + 3.0f;
    return (shifted > 6.0f ? 6.0f : shifted) * 0.166666667f;
  }
  static __device__ bool is_active(float x, const Settings&) { return x > -3.0f && x < 3.0f; }
  static __device__ float pass(bool active, float dy, const Settings&) { return active ? dy * 0.166666667f : 0.0f; }
};
struct Hardtanh : TwoSlopes<Hardtanh> {
  template <typename Out> static __device__ float value(float x, const Settings& s) {
    const float raised = x < s.min_val ? s.min_val : x;
    return raised > s.max_val ? s.max_val : raised;
  }
  static __device__ bool is_active(float x, const Settings& s) { return !(x <= s.min_val || x >= s.max_val); }
  static __device__ float pass(bool active, float dy, const Settings&) { return active ? dy : 0.0f; }
};
struct Tanh {
  template <typename Out> static __device__ float value(float x, const Settings&) { return tanh_for<Out>(x); }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const Logistic at = logistic<Out>(2.0f * x); // 1 - tanh(x)^2 without cancellation
    return dy * (4.0f * at.value * at.rest);
  }
};
struct Softplus {
  template <typename Out> static __device__ float value(float x, const Settings& s) {
    const float z = x * s.beta;
    const float smooth = fmaxf(z, 0.0f) + log1p_fast(exp_for<Out>(-fabsf(z)));
    return z > s.threshold ? x : smooth * reciprocal_fast(s.beta);
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings& s) {
    const float z = x * s.beta;
    const float slope = sigmoid<Out>(z);
    return dy * (z > s.threshold ? 1.0f : slope);
  }
};
struct Softsign {
  template <typename Out> static __device__ float value(float x, const Settings&) { // 1 / 2^127 would be rounded to 0
    return 0.25f * x * reciprocal_fast(fmaf(0.25f, fabsf(x), 0.25f));
  }
  template <typename Out> static __device__ float gradient(float x, float dy, const Settings&) {
    const float r = reciprocal_fast(1.0f + fabsf(x));
    return dy * (r * fmaf(x, 0.0f, r)); // NaN for an infinity, as in torch
  }
};

} // namespace wt

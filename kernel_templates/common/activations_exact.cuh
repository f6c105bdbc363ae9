// The activation functions of torch.nn.functional and their gradients in double, written as torch defines them: what
// references are made of. Where a kernel has a fast way (activations.cuh), this is the plain one.
#pragma once

#include "common/prelude.cuh"

namespace wt::exact {

struct Arguments {
  double negative_slope, alpha, beta, threshold, min_val, max_val;
};

// of: the function; gradient: dy times its derivative, or what torch makes of dy. is_active, of functions of two slopes:
// whether x is on the first of them.
struct Identity {
  static __device__ double of(double x, const Arguments&) { return x; }
  static __device__ double gradient(double, double dy, const Arguments&) { return dy; }
};
struct Relu {
  static __device__ double of(double x, const Arguments&) { return x < 0 ? 0 : x; }
  static __device__ double gradient(double x, double dy, const Arguments&) { return x <= 0 ? 0 : dy; }
  static __device__ bool is_active(double x, const Arguments&) { return !(x <= 0); }
};
struct LeakyRelu {
  static __device__ double of(double x, const Arguments& a) { return x > 0 ? x : x * a.negative_slope; }
  static __device__ double gradient(double x, double dy, const Arguments& a) {
    return x > 0 ? dy : dy * a.negative_slope;
  }
  static __device__ bool is_active(double x, const Arguments&) { return x > 0; }
};
struct Elu {
  static __device__ double of(double x, const Arguments& a) { return x > 0 ? x : a.alpha * expm1(x); }
  static __device__ double gradient(double x, double dy, const Arguments& a) {
    return x <= 0 ? dy * a.alpha * exp(x) : dy;
  }
};
struct Selu {
  static constexpr double kScale = 1.0507009873554804934193349852946, kAlpha = 1.6732632423543772848170429916717;
  static __device__ double of(double x, const Arguments&) { return kScale * (x > 0 ? x : kAlpha * expm1(x)); }
  static __device__ double gradient(double x, double dy, const Arguments&) {
    return dy * kScale * (x <= 0 ? kAlpha * exp(x) : 1);
  }
};
struct Gelu {
  static __device__ double integral(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }
  static __device__ double of(double x, const Arguments&) { return x * integral(x); }
  static __device__ double gradient(double x, double dy, const Arguments&) {
    return dy * (integral(x) + x * exp(-0.5 * x * x) * 0.39894228040143267794);
  }
};
struct GeluTanh { // (1 + tanh(u)) / 2 = 1 / (1 + e^-2u), without cancellation
  static constexpr double kBeta = 0.79788456080286535588, kKappa = 0.044715;
  static __device__ double half(double x) { return 1 / (1 + exp(-2 * kBeta * (x + kKappa * x * x * x))); }
  static __device__ double of(double x, const Arguments&) { return x * half(x); }
  static __device__ double gradient(double x, double dy, const Arguments&) {
    return dy * (half(x) + 2 * x * half(x) * half(-x) * kBeta * (1 + 3 * kKappa * x * x));
  }
};
struct Silu {
  static __device__ double of(double x, const Arguments&) { return x / (1 + exp(-x)); }
  static __device__ double gradient(double x, double dy, const Arguments&) {
    const double y = 1 / (1 + exp(-x));
    return dy * y * (1 + x / (1 + exp(x)));
  }
};
struct Sigmoid {
  static __device__ double of(double x, const Arguments&) { return 1 / (1 + exp(-x)); }
  static __device__ double gradient(double x, double dy, const Arguments&) { return dy / (1 + exp(-x)) / (1 + exp(x)); }
};
struct Hardsigmoid {
  static __device__ double of(double x, const Arguments&) { return x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6; }
  static __device__ double gradient(double x, double dy, const Arguments&) { return x > -3 && x < 3 ? dy / 6 : 0; }
  static __device__ bool is_active(double x, const Arguments&) { return fabs(x) < 3; }
};
struct Hardtanh {
  static __device__ double of(double x, const Arguments& a) {
    return x < a.min_val ? a.min_val : x > a.max_val ? a.max_val : x;
  }
  static __device__ double gradient(double x, double dy, const Arguments& a) {
    return x <= a.min_val || x >= a.max_val ? 0 : dy;
  }
  static __device__ bool is_active(double x, const Arguments& a) { return !(x <= a.min_val) && !(x >= a.max_val); }
};
struct Tanh {
  static __device__ double of(double x, const Arguments&) { return tanh(x); }
  static __device__ double gradient(double x, double dy, const Arguments&) {
    return dy * 4 / (1 + exp(-2 * x)) / (1 + exp(2 * x));
  }
};
struct Softplus {
  static __device__ double of(double x, const Arguments& a) {
    return x * a.beta > a.threshold ? x : log1p(exp(x * a.beta)) / a.beta;
  }
  static __device__ double gradient(double x, double dy, const Arguments& a) {
    return x * a.beta > a.threshold ? dy : dy / (1 + exp(-x * a.beta));
  }
};
struct Softsign {
  static __device__ double of(double x, const Arguments&) { return x / (1 + fabs(x)); }
  static __device__ double gradient(double x, double dy, const Arguments&) { // torch: NaN for an infinity
    return isinf(x) ? nan("") : dy / ((1 + fabs(x)) * (1 + fabs(x)));
  }
};

} // namespace wt::exact

// The elementwise losses of torch.nn.functional and their gradients in double, written as torch defines them: what
// references are made of.
#pragma once

#include "common/prelude.cuh"

namespace wt::exact {

struct LossSettings {
  double beta, delta, margin;
};

__device__ inline double sign_of(double x) { return (x > 0) - (x < 0); }

// of: the loss; gradient: its derivative with respect to x, or what torch makes of it.
struct MseLoss {
  static __device__ double of(double x, double t, const LossSettings&) { return (x - t) * (x - t); }
  static __device__ double gradient(double x, double t, const LossSettings&) { return 2 * (x - t); }
};
struct L1Loss {
  static __device__ double of(double x, double t, const LossSettings&) { return fabs(x - t); }
  static __device__ double gradient(double x, double t, const LossSettings&) { return sign_of(x - t); }
};
struct SmoothL1Loss {
  static __device__ double of(double x, double t, const LossSettings& s) {
    const double d = fabs(x - t);
    return d < s.beta ? d * d / s.beta / 2 : d - s.beta / 2;
  }
  static __device__ double gradient(double x, double t, const LossSettings& s) {
    const double d = x - t;
    return d < -s.beta ? -1 : d > s.beta ? 1 : s.beta == 0 ? sign_of(d) : d / s.beta;
  }
};
struct HuberLoss {
  static __device__ double of(double x, double t, const LossSettings& s) {
    const double d = fabs(x - t);
    return d <= s.delta ? d * d / 2 : s.delta * (d - s.delta / 2);
  }
  static __device__ double gradient(double x, double t, const LossSettings& s) {
    const double d = x - t;
    return d < -s.delta ? -s.delta : d > s.delta ? s.delta : d;
  }
};
struct KlDivLoss {
  static __device__ double of(double x, double t, const LossSettings&) { return (t == 0 ? 0 : t * log(t)) - t * x; }
  static __device__ double gradient(double, double t, const LossSettings&) { return -t; }
};
struct KlDivLogLoss {
  static __device__ double of(double x, double t, const LossSettings&) { return exp(t) * (t - x); }
  static __device__ double gradient(double, double t, const LossSettings&) { return -exp(t); }
};
struct BceWithLogitsLoss {
  static __device__ double of(double x, double t, const LossSettings&) {
    return (1 - t) * x - ((x < 0 ? x : 0) - log1p(exp(-fabs(x))));
  }
  static __device__ double gradient(double x, double t, const LossSettings&) { return 1 / (1 + exp(-x)) - t; }
};
struct HingeEmbeddingLoss {
  static __device__ double of(double x, double t, const LossSettings& s) {
    const double apart = s.margin - x < 0 ? 0 : s.margin - x;
    return (t != 1 ? apart : 0) + (t != -1 ? x : 0);
  }
  static __device__ double gradient(double x, double t, const LossSettings& s) {
    return (t != -1 ? 1 : 0) + (t != 1 && s.margin - x >= 0 ? -1 : 0);
  }
};

} // namespace wt::exact

// The elementwise losses of torch.nn.functional and their gradients with respect to x, in fp32, with torch's treatment
// of NaN and infinities. T: dtype of the tensors; for 16 bits exponentials are faster (activations.cuh).
#pragma once

#include "common/activations.cuh"
#include "common/logarithm.cuh"
#include "common/ptx_numbers.cuh"

namespace wt {

struct LossSettings { // torch's arguments
  float beta, delta, margin;
};

__device__ __forceinline__ float sign_of(float x) { return (x > 0 ? 1.0f : 0.0f) - (x < 0 ? 1.0f : 0.0f); }

// Each has value(x, target) and gradient(x, target). Comparisons are written so that a NaN goes where torch sends it.
struct MseLoss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings&) {
    return (x - t) * (x - t);
  }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings&) { return 2 * (x - t); }
};
struct L1Loss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings&) { return fabsf(x - t); }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings&) {
    return sign_of(x - t);
  }
};
struct SmoothL1Loss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings& s) {
    const float d = fabsf(x - t);
    return d < s.beta ? 0.5f * d * d * reciprocal_fast(s.beta) : d - 0.5f * s.beta;
  }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings& s) {
    const float d = x - t;
    return fabsf(d) < s.beta || d != d ? d * reciprocal_fast(s.beta) : sign_of(d);
  }
};
struct HuberLoss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings& s) {
    const float d = fabsf(x - t);
    return d <= s.delta ? 0.5f * d * d : s.delta * (d - 0.5f * s.delta);
  }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings& s) {
    const float d = x - t;
    return d < -s.delta ? -s.delta : d > s.delta ? s.delta : d;
  }
};
// x ln(x), 0 at 0. logf has 30 instructions, which is more than the memory leaves time for where elements have 16 bits.
template <typename T> __device__ __forceinline__ float x_log_x(float x) {
  if constexpr (kNarrow<T>)
    return x * max_nan(log_fast(x), -88.0f); // a number that log_fast flushes to 0 also gives 0
  else
    return x == 0 ? 0.0f : x * logf(x);
}
// x is a logarithm of probabilities; targets are probabilities, or their logarithms.
struct KlDivLoss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings&) {
    return x_log_x<T>(t) - t * x;
  }
  template <typename T> static __device__ float gradient(float, float t, const LossSettings&) { return -t; }
};
struct KlDivLogLoss {
  template <typename T> static __device__ float value(float x, float t, const LossSettings&) {
    return exp_for<T>(t) * (t - x);
  }
  template <typename T> static __device__ float gradient(float, float t, const LossSettings&) { return -exp_for<T>(t); }
};
struct BceWithLogitsLoss { // (1 - t) x - log(sigmoid(x))
  template <typename T> static __device__ float value(float x, float t, const LossSettings&) {
    const float e = exp_for<T>(-fabsf(x));
    return (1 - t) * x - (rest_of(x) - (kNarrow<T> ? log_fast(1 + e) : log1p_fast(e)));
  }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings&) {
    return sigmoid<T>(x) - t;
  }
};
struct HingeEmbeddingLoss { // both terms if the target is neither 1 nor -1
  template <typename T> static __device__ float value(float x, float t, const LossSettings& s) {
    const float apart = s.margin - x;
    return (t != 1 ? (apart < 0 ? 0.0f : apart) : 0.0f) + (t != -1 ? x : 0.0f);
  }
  template <typename T> static __device__ float gradient(float x, float t, const LossSettings& s) {
    return (t != -1 ? 1.0f : 0.0f) - (t != 1 && s.margin - x >= 0 ? 1.0f : 0.0f);
  }
};

} // namespace wt

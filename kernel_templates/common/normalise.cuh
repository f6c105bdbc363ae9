// The norm of a vector of numbers, and the numbers divided by it: what normalise and its gradient compute.
#pragma once

#include "common/magnitudes.cuh"

namespace wt {

__device__ __forceinline__ float sign_of(float x) { return static_cast<float>((x > 0.0f) - (x < 0.0f)); }

// A rule of mapped_rows.cuh: x / max(norm of x, eps). NORMS: stores the norms.
template <int ORDER, bool NORMS> struct Normalise {
  static constexpr int kInputs = 1;
  using Part = Magnitude<ORDER>;
  struct Known {
    float norm, inverse;
  };
  float* norms;
  float eps;

  __device__ __forceinline__ Known known(i64) const { return {0.0f, 0.0f}; }
  template <int N> __device__ __forceinline__ void add(Part& part, const Known&, const float (&v)[1][N]) const {
    float t[N];
#pragma unroll
    for (int k = 0; k < N; ++k) t[k] = ORDER == kL2 ? v[0][k] * v[0][k] : fabsf(v[0][k]);
    part.value = Part::both(part.value, tree_of(t, [](float a, float b) { return Part::both(a, b); }));
  }
  __device__ __forceinline__ Known complete(const Known&, const Part& whole) const {
    const float norm = ORDER == kL2 ? sqrtf(whole.value) : whole.value;
    return {norm, 1 / max_nan(norm, eps)};
  }
  __device__ __forceinline__ float result(const Known& known, const float (&v)[1]) const {
    return v[0] * known.inverse;
  }
  __device__ __forceinline__ void save(i64 vector, const Known& known) const {
    if constexpr (NORMS) norms[vector] = known.norm;
  }
};

// The gradient of x, from dy, that of the result y, and the norms. With the sum p of dy * y:
//   L2: (dy - y * p) / norm     L1: (dy - sign(x) * p) / norm     largest magnitude: the elements that have it share p.
// A norm below eps has no gradient: dy / eps.
template <int ORDER> struct NormaliseGradient {
  static constexpr int kInputs = 2; // dy, x
  using Part = Sums<ORDER == kLargest ? 2 : 1>;
  struct Known {
    float norm, inverse, share; // share: times x, or times its sign
  };
  const float* norms;
  float eps;

  __device__ __forceinline__ Known known(i64 vector) const {
    const float norm = norms[vector];
    return {norm, 1 / max_nan(norm, eps), 0.0f};
  }
  template <int N> __device__ __forceinline__ void add(Part& part, const Known& known, const float (&v)[2][N]) const {
    const auto sum = [](float a, float b) { return a + b; };
    float t[N];
#pragma unroll
    for (int k = 0; k < N; ++k) t[k] = v[0][k] * (v[1][k] * known.inverse);
    part.v[0] += tree_of(t, sum);
    if constexpr (ORDER == kLargest) {
#pragma unroll
      for (int k = 0; k < N; ++k) t[k] = fabsf(v[1][k]) == known.norm ? 1.0f : 0.0f;
      part.v[1] += tree_of(t, sum);
    }
  }
  __device__ __forceinline__ Known complete(const Known& known, const Part& whole) const {
    float share = known.norm >= eps && known.norm > 0 ? whole.v[0] : 0.0f;
    if constexpr (ORDER == kL2) share = share == 0 ? 0.0f : share * known.inverse; // which is infinite if eps is 0
    if constexpr (ORDER == kLargest) share = share == 0 ? 0.0f : share / whole.v[1];
    return {known.norm, known.inverse, share};
  }
  __device__ __forceinline__ float result(const Known& known, const float (&v)[2]) const {
    float along = v[1];
    if constexpr (ORDER == kL1) along = sign_of(v[1]);
    if constexpr (ORDER == kLargest) along = fabsf(v[1]) == known.norm ? sign_of(v[1]) : 0.0f;
    return (v[0] - along * known.share) * known.inverse;
  }
  __device__ __forceinline__ void save(i64, const Known&) const {}
};

} // namespace wt

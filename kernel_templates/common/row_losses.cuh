// Losses of torch.nn.functional that compare rows, and their gradients, in fp32, with torch's treatment of NaN and
// infinities. Each is a function of sums over the row.
#pragma once

#include "common/row_exchange.cuh"

namespace wt {

struct RowLossSettings { // torch's arguments
  float margin, eps;
};

// kInputs rows; add: what elements of them contribute to the sums; value: the loss of a row; Slopes: what the gradients
// of its elements need besides them, with the gradient g of the loss.
struct CosineLoss { // the sums: x x2, x x, x2 x2
  static constexpr int kInputs = 2;
  static __device__ __forceinline__ void add(const float (&v)[2], const RowLossSettings&, Sums<3>& sums) {
    sums.v[0] += v[0] * v[1];
    sums.v[1] += v[0] * v[0];
    sums.v[2] += v[1] * v[1];
  }
  // One after the other: the product of both squares may overflow.
  static __device__ __forceinline__ float cosine(const Sums<3>& sums) {
    return sums.v[0] * rsqrtf(sums.v[1] + 1e-12f) * rsqrtf(sums.v[2] + 1e-12f);
  }
  static __device__ float value(const Sums<3>& sums, float target, const RowLossSettings& s) {
    const float cos = cosine(sums), above = cos - s.margin;
    return target == 1 ? 1 - cos : target != -1 ? 0.0f : above < 0 ? 0.0f : above;
  }
  struct Slopes {
    float cross, of_x, of_x2;
    __device__ Slopes(const Sums<3>& sums, float target, float g, const RowLossSettings& s) {
      const float cos = cosine(sums), a = sums.v[1] + 1e-12f, b = sums.v[2] + 1e-12f;
      const float slope = target == 1 ? -g : target == -1 && cos - s.margin >= 0 ? g : 0.0f;
      cross = slope * rsqrtf(a) * rsqrtf(b);
      of_x = -slope * cos / a;
      of_x2 = -slope * cos / b;
    }
    __device__ __forceinline__ void at(const float (&v)[2], const RowLossSettings&, float (&d)[2]) const {
      d[0] = cross * v[1] + of_x * v[0];
      d[1] = cross * v[0] + of_x2 * v[1];
    }
  };
};

// Squares of the distances anchor to positive, anchor to negative, and with SWAP positive to negative.
template <bool SWAP> struct TripletLossOf {
  static constexpr int kInputs = 3;
  static __device__ __forceinline__ void add(const float (&v)[3], const RowLossSettings& s, Sums<3>& sums) {
    const float p = v[0] - v[1] + s.eps, n = v[0] - v[2] + s.eps, other = v[1] - v[2] + s.eps;
    sums.v[0] += p * p;
    sums.v[1] += n * n;
    if constexpr (SWAP) sums.v[2] += other * other;
  }
  static __device__ __forceinline__ float above(const Sums<3>& sums, const RowLossSettings& s) {
    float away = sqrtf(sums.v[1]);
    if constexpr (SWAP) {
      const float other = sqrtf(sums.v[2]);
      away = away != away || away < other ? away : other;
    }
    return s.margin + sqrtf(sums.v[0]) - away;
  }
  static __device__ float value(const Sums<3>& sums, float, const RowLossSettings& s) {
    const float loss = above(sums, s);
    return loss < 0 ? 0.0f : loss;
  }
  struct Slopes {
    float positive, negative, other = 0;
    __device__ Slopes(const Sums<3>& sums, float, float g, const RowLossSettings& s) {
      const float slope = above(sums, s) >= 0 ? g : 0.0f;
      const auto along = [&](float square, float share) { return square == 0 ? 0.0f : slope * share / sqrtf(square); };
      const float n = sums.v[1], o = sums.v[2]; // the gradient of a minimum is shared by equal numbers
      positive = along(sums.v[0], 1);
      negative = along(n, !SWAP ? 1.0f : n == o ? 0.5f : n > o ? 0.0f : 1.0f);
      if constexpr (SWAP) other = along(o, n == o ? 0.5f : o > n ? 0.0f : 1.0f);
    }
    __device__ __forceinline__ void at(const float (&v)[3], const RowLossSettings& s, float (&d)[3]) const {
      const float p = positive * (v[0] - v[1] + s.eps), n = negative * (v[0] - v[2] + s.eps);
      const float o = SWAP ? other * (v[1] - v[2] + s.eps) : 0.0f;
      d[0] = p - n;
      d[1] = -p - o;
      d[2] = n + o;
    }
  };
};
using TripletLoss = TripletLossOf<false>;
using TripletSwapLoss = TripletLossOf<true>;

} // namespace wt

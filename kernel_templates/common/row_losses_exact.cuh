// The losses of rows of torch.nn.functional in double, written as torch defines them, and inputs for them: what
// references are made of.
#pragma once

#include "common/prelude.cuh"

namespace wt::exact {

enum RowLoss : int { kCosine, kTriplet, kTripletSwap };

template <typename T> struct Rows { // at the row
  const T *x, *x2, *x3;
  double eps;
  __device__ double a(int c) const { return to_double(x[c]); }
  __device__ double b(int c) const { return to_double(x2[c]); }
  __device__ double c(int c) const { return to_double(x3[c]); }
};

struct RowSums { // those that row_losses.cuh has
  double v[3];
};
template <int LOSS, typename T> __device__ RowSums sums_of(const Rows<T>& rows, int cols) {
  RowSums sums{};
  double(&s)[3] = sums.v;
  for (int i = 0; i < cols; ++i) {
    const double a = rows.a(i), b = rows.b(i);
    if (LOSS == kCosine) {
      s[0] += a * b;
      s[1] += a * a;
      s[2] += b * b;
    } else {
      const double c = rows.c(i), p = a - b + rows.eps, n = a - c + rows.eps, o = b - c + rows.eps;
      s[0] += p * p;
      s[1] += n * n;
      if (LOSS == kTripletSwap) s[2] += o * o;
    }
  }
  return sums;
}

// cosine: the cosine and both squares; triplet: the distances to the positive and to the negative, and between these.
struct Measures {
  double v[3];
};
template <int LOSS> __device__ Measures measures_of(const RowSums& sums) {
  const double(&s)[3] = sums.v;
  if (LOSS == kCosine) return {{s[0] / sqrt((s[1] + 1e-12) * (s[2] + 1e-12)), s[1] + 1e-12, s[2] + 1e-12}};
  return {{sqrt(s[0]), sqrt(s[1]), sqrt(s[2])}};
}

// Before the clamp at 0.
template <int LOSS> __device__ double above_of(const Measures& m, double margin) {
  if (LOSS == kCosine) return m.v[0] - margin;
  const bool takes_other = LOSS == kTripletSwap && m.v[1] == m.v[1] && !(m.v[1] < m.v[2]);
  return margin + m.v[0] - (takes_other ? m.v[2] : m.v[1]);
}
template <int LOSS> __device__ double value_of(const Measures& m, double target, double margin) {
  const double above = above_of<LOSS>(m, margin);
  if (LOSS == kCosine && target != -1) return target == 1 ? 1 - m.v[0] : 0;
  return above < 0 ? 0 : above;
}

// The gradients of one element of each row, with the gradient g of the loss.
template <int LOSS, typename T>
__device__ void gradients_of(const Measures& m, const Rows<T>& rows, int i, double target, double margin, double g,
                             double (&d)[3]) {
  const double a = rows.a(i), b = rows.b(i);
  const bool is_active = above_of<LOSS>(m, margin) >= 0;
  if (LOSS == kCosine) {
    const double slope = target == 1 ? -g : target == -1 && is_active ? g : 0, product = sqrt(m.v[1] * m.v[2]);
    d[0] = slope * (b / product - m.v[0] * a / m.v[1]);
    d[1] = slope * (a / product - m.v[0] * b / m.v[2]);
    return;
  }
  const double c = rows.c(i), slope = is_active ? g : 0;
  const bool swaps = LOSS == kTripletSwap, is_tie = swaps && m.v[1] == m.v[2];
  const auto direction = [&](double apart, double distance) { return distance == 0 ? 0 : slope * apart / distance; };
  const double p = direction(a - b + rows.eps, m.v[0]);
  const double n = direction(a - c + rows.eps, m.v[1]) * (is_tie ? 0.5 : swaps && m.v[1] > m.v[2] ? 0 : 1);
  const double o = swaps ? direction(b - c + rows.eps, m.v[2]) * (is_tie ? 0.5 : m.v[2] > m.v[1] ? 0 : 1) : 0;
  d[0] = p - n;
  d[1] = -p - o;
  d[2] = n + o;
}

__device__ inline double noise_at(i64 i) { // from -1 to 1; bits that look random (the finaliser of SplitMix64)
  u64 bits = static_cast<u64>(i) * 0x9e3779b97f4a7c15ull;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>(bits >> 32) / 2147483648.0 - 1;
}

// Rows on both sides of each bend of a loss, and far from it: there rounding decides which gradient is right. x2 points
// in the direction of x or against it; positives are near or far, or far and close to the negative.
template <typename T, int LOSS> __global__ void draw_rows(const T* x, T* x2, T* x3, i64 rows, int cols) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    const int kind = static_cast<int>(i / cols % 3);
    const double a = to_double(x[i]), first = noise_at(2 * i + 1), second = noise_at(2 * i + 2);
    if (LOSS == kCosine) {
      x2[i] = from_double<T>((i / cols / 3 % 2 ? -a : a) + first);
    } else {
      x2[i] = from_double<T>(a + first * (kind == 0 ? 0.5 : 4));
      x3[i] = from_double<T>(kind == 0   ? a + 4 * second
                             : kind == 1 ? a + 0.5 * second
                                         : to_double(x2[i]) + 0.5 * second);
    }
  }
}

} // namespace wt::exact

// Gaussian process regression (Rasmussen and Williams 2006, chapter 2): what all that learns from a few measured values
// computes with the covariance of their points. Shared by the strategy `surrogate` (search/) and the rule for untuned
// shapes (predict/transfer_model.h). Knows covariances and values; which points are alike is the caller's matter.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

class GaussianProcess {
 public:
  // Learns all points at once; those before are forgotten. `covariance`: points^2 values, row by row, of which the
  // lower triangle is read; the variance of the noise is part of its diagonal. n^3 / 6 multiplications. false: it is
  // not positive definite, and the process must not be asked anything.
  bool fit(std::span<const double> covariance, std::size_t points);

  // Learns one more point: its covariances with the points so far, then its own variance with the noise, for which at
  // least `kLeastVariance` is taken where the others leave less. n^2 / 2 multiplications.
  void add(std::span<const double> covariances);

  std::size_t points() const { return points_; }
  // Row i of the lower Cholesky factor L of the covariance: i + 1 values.
  std::span<const double> factor_row(std::size_t i) const { return {&factor_[i * stride_], i + 1}; }
  double half_log_determinant() const;

  // In place, for one value of each point: L^-1 values, and covariance^-1 values: the weights of the points.
  void whiten(std::span<double> values) const;
  void solve(std::span<double> values) const;
  // covariance^-1, row by row; only the lower triangle is filled. O(n^3).
  void invert(std::vector<double>& precision) const;

  static constexpr double kLeastVariance = 1e-6;

 private:
  std::size_t points_ = 0, stride_ = 0;
  std::vector<double> factor_; // row by row, with `stride_` values each; what is right of the diagonal is not read
};

} // namespace warptune

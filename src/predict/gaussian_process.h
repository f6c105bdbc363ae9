// Gaussian process regression (Rasmussen and Williams 2006, chapter 2): learns from a few measured values and the
// covariance of their points. Shared by the strategy `surrogate` (search/) and the rule for untuned shapes
// (predict/transfer_model.h). Uses only covariances and values; the caller defines how similar points are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

class GaussianProcess {
 public:
  // Learns all points at once and forgets earlier ones. `covariance`: points^2 values, row by row; only the lower
  // triangle is read; the diagonal includes the variance of the noise. Costs n^3 / 6 multiplications. false: the matrix
  // is not positive definite, and no other function may be called.
  bool fit(std::span<const double> covariance, std::size_t points);

  // Learns one more point: its covariances with the points so far, then its own variance with the noise. Raises
  // the point's conditional variance to `kLeastVariance` if it is smaller. Costs n^2 / 2 multiplications.
  void add(std::span<const double> covariances);

  std::size_t points() const { return points_; }
  // Returns row i of the lower Cholesky factor L of the covariance: i + 1 values.
  std::span<const double> factor_row(std::size_t i) const { return {&factor_[i * stride_], i + 1}; }
  double half_log_determinant() const;

  // These two functions work in place, on one value per point. whiten: L^-1 values; solve: covariance^-1 values, the
  // weights of the points.
  void whiten(std::span<double> values) const;
  void solve(std::span<double> values) const;
  // Returns covariance^-1, row by row; only the lower triangle is filled. O(n^3).
  void invert(std::vector<double>& precision) const;

  static constexpr double kLeastVariance = 1e-6;

 private:
  std::size_t points_ = 0, stride_ = 0;
  std::vector<double> factor_; // row by row, `stride_` values each; values right of the diagonal are not read
};

} // namespace warptune

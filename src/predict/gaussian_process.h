// Gaussian process regression (Rasmussen and Williams 2006, chapter 2). It learns from a few measured values and the
// covariances between their points, which the caller computes. The strategy `surrogate` (search/) and the rule for
// untuned shapes (predict/transfer_model.h) use it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

class GaussianProcess {
 public:
  // Learns all points at once and forgets earlier ones. `covariance` has points^2 values, row by row, with the variance
  // of the noise on the diagonal; only the lower triangle is read. Costs n^3 / 6 multiplications. Returns false if the
  // matrix is not positive definite; then no other function may be called.
  bool fit(std::span<const double> covariance, std::size_t points);

  // Learns one more point. `covariances`: the new point's covariances with the earlier points, then its variance with
  // noise. A conditional variance below kMinVariance is set to kMinVariance. Costs n^2 / 2 multiplications.
  void add(std::span<const double> covariances);

  std::size_t points() const { return points_; }
  // Returns row i of L, the lower Cholesky factor of the covariance matrix: i + 1 values.
  std::span<const double> factor_row(std::size_t i) const { return {&factor_[i * stride_], i + 1}; }
  double half_log_determinant() const;

  // These functions work in place on one value per point. whiten computes L^-1 * values; solve computes covariance^-1 *
  // values, the weights of the points.
  void whiten(std::span<double> values) const;
  void solve(std::span<double> values) const;
  // Returns the inverse of the covariance matrix, row by row, with only the lower triangle filled. O(n^3).
  void invert(std::vector<double>& precision) const;

  static constexpr double kMinVariance = 1e-6;

 private:
  std::size_t points_ = 0, stride_ = 0;
  std::vector<double> factor_; // row by row, `stride_` values each; values to the right of the diagonal are never read
};

} // namespace warptune

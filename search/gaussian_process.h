// Gaussian process regression (Rasmussen and Williams 2006) with a Matern 5/2 kernel and one length per feature, in the
// two halves that a search needs: lengths fitted to some points, and a posterior over a pool of candidates that grows
// point by point. Knows points and values: no space, no configuration.
#pragma once

#include "search/features.h"

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

// Logarithms, so that steps are factors.
struct KernelLengths {
  std::vector<double> log_length; // per feature
  double log_signal = 0;          // variance of the values
  double log_noise = -4.6;        // variance of the noise; values are standardised, so 0.01 of them
};

// Rows of `width` features.
struct Points {
  std::size_t width = 0;
  std::vector<float> rows;
  std::size_t size() const { return width == 0 ? 0 : rows.size() / width; }
  std::span<const float> operator[](std::size_t i) const { return {rows.data() + i * width, width}; }
};

// The most probable lengths for standardised values, by resilient propagation (Riedmiller and Braun 1993) on the
// negative log posterior from `start` on. O(iterations * n^3).
KernelLengths fit_lengths(const Points& points, const std::vector<double>& values,
                          const std::vector<Features::Scale>& scales, KernelLengths start, int iterations);

// Adding a point costs O(n * pool), taking back values of points nothing: the factor does not depend on them.
class PoolPosterior {
 public:
  // `pool` is kept by feature: column c of row f is feature f of candidate c.
  PoolPosterior(const KernelLengths& lengths, std::vector<std::vector<float>> pool);

  void add(std::span<const float> point);
  std::size_t points() const { return factor_.size(); }
  std::size_t candidates() const { return variance_.size(); }
  // Means over the pool for these values of the points, in the order of adding.
  void means(const std::vector<double>& values, std::vector<float>& out) const;
  const std::vector<float>& variances() const { return variance_; } // of the function, without noise
  // Correlation of a point with each candidate, in [0, 1].
  void correlations(std::span<const float> point, std::vector<float>& out) const;

 private:
  double correlation(std::span<const float> a, std::span<const float> b) const;

  std::vector<float> inverse_squares_; // of the lengths
  float signal_, noise_;
  std::vector<std::vector<float>> pool_;
  Points points_;
  std::vector<std::vector<float>> factor_;   // lower triangle of the Cholesky factor, by row
  std::vector<std::vector<float>> whitened_; // factor^-1 times the covariance of points and pool, by row
  std::vector<float> variance_;
};

} // namespace warptune

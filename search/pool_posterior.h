// The surrogate's Gaussian process (predict/gaussian_process.h) over a pool of candidates: the mean and variance of
// each candidate, while points are added one by one. Uses single precision, which is enough to rank candidates.
#pragma once

#include "predict/gaussian_process.h"
#include "search/kernel_lengths.h"

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

// With n points, adding a point costs O(n * pool). Using other values for the same points costs O(n^2 + n * pool),
// because the Cholesky factor does not depend on values.
class PoolPosterior {
 public:
  // `pool` is stored by feature: pool[f][c] is feature f of candidate c.
  PoolPosterior(const KernelLengths& lengths, std::vector<std::vector<float>> pool);

  void add(std::span<const float> point);
  std::size_t points() const { return process_.points(); }
  std::size_t candidates() const { return variance_.size(); }
  // Computes the mean of each candidate. `values`: one per point, in the order in which the points were added.
  void means(const std::vector<double>& values, std::vector<float>& out) const;
  const std::vector<float>& variances() const { return variance_; } // of the function itself, without noise
  // Computes the correlation of a point with each candidate, in [0, 1].
  void correlations(std::span<const float> point, std::vector<float>& out) const;

 private:
  double correlation(std::span<const float> a, std::span<const float> b) const;

  std::vector<float> inverse_squares_; // 1 / length^2, per feature
  float signal_, noise_;
  std::vector<std::vector<float>> pool_;
  Points points_;
  GaussianProcess process_;
  std::vector<double> covariances_;
  std::vector<std::vector<float>>
      whitened_; // L^-1 times the covariances of points and pool, by row; L: the Cholesky factor
  std::vector<float> variance_;
};

} // namespace warptune

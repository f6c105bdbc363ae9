// The kernel (covariance function) of the surrogate's Gaussian process (predict/gaussian_process.h): a Matern 5/2 with
// one length per feature. Also finds the lengths that fit given points best. Works on points and values, without a
// space or configurations.
#pragma once

#include "search/features.h"

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

// Lengths and variances are stored as logarithms, so that each step of the optimiser is a factor.
struct KernelLengths {
  std::vector<double> log_length; // one per feature
  double log_signal = 0;          // logarithm of the variance of the values
  double log_noise = -4.6;        // logarithm of the noise's variance: 1 % of the variance of the standardised values
};

// Points as rows of `width` features.
struct Points {
  std::size_t width = 0;
  std::vector<float> rows;
  std::size_t size() const { return width == 0 ? 0 : rows.size() / width; }
  std::span<const float> operator[](std::size_t i) const { return {rows.data() + i * width, width}; }
};

// Returns the correlation of two points whose squared distance is r2, with distances in units of the lengths.
double matern(double r2);
inline constexpr double kJitter = 1e-6; // added to the noise variance

// Returns the most probable lengths for standardised values. Begins at `start` and minimises the negative log posterior
// with resilient propagation (Riedmiller and Braun 1993). O(iterations * n^3).
KernelLengths fit_lengths(const Points& points, const std::vector<double>& values,
                          const std::vector<Features::Scale>& scales, KernelLengths start, int iterations);

} // namespace warptune

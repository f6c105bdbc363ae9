// The Gaussian process compared with its definition, with matrices inverted by elimination.
#include "search/draws.h"
#include "search/pool_posterior.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

constexpr std::size_t kWidth = 3, kPoints = 12, kCandidates = 7;

std::vector<float> draw_rows(Draws& draws, std::size_t rows) {
  std::vector<float> out;
  for (std::size_t i = 0; i < rows * kWidth; ++i) out.push_back(static_cast<float>(draws.uniform()));
  return out;
}

// Matern 5/2 (Rasmussen and Williams 2006, equation 4.17).
double covariance(const KernelLengths& lengths, const float* a, const float* b) {
  double r2 = 0;
  for (std::size_t f = 0; f < kWidth; ++f)
    r2 += std::pow((static_cast<double>(a[f]) - static_cast<double>(b[f])) / std::exp(lengths.log_length[f]), 2);
  const double r = std::sqrt(5 * r2);
  return std::exp(lengths.log_signal) * (1 + r + r * r / 3) * std::exp(-r);
}

// Solves a x = b by Gauss-Jordan elimination; a is positive definite.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (k == i) continue;
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = 0; j < b.size(); ++j) a[k][j] -= factor * a[i][j];
      b[k] -= factor * b[i];
    }
  for (std::size_t i = 0; i < b.size(); ++i) b[i] /= a[i][i];
  return b;
}

TEST(GaussianProcess, MeansAndVariancesAreThoseOfTheDefinition) {
  Draws draws(7);
  const std::vector<float> points = draw_rows(draws, kPoints), candidates = draw_rows(draws, kCandidates);
  const KernelLengths lengths{{-0.5, 0.1, 0.7}, 0.3, -3};
  std::vector<double> values;
  for (std::size_t i = 0; i < kPoints; ++i) values.push_back(draws.uniform() * 2 - 1);

  std::vector<std::vector<float>> pool(kWidth, std::vector<float>(kCandidates));
  for (std::size_t c = 0; c < kCandidates; ++c)
    for (std::size_t f = 0; f < kWidth; ++f) pool[f][c] = candidates[c * kWidth + f];
  PoolPosterior posterior(lengths, pool);
  for (std::size_t i = 0; i < kPoints; ++i) posterior.add(std::span(points).subspan(i * kWidth, kWidth));
  std::vector<float> means;
  posterior.means(values, means);

  std::vector<std::vector<double>> k(kPoints, std::vector<double>(kPoints));
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = 0; j < kPoints; ++j)
      k[i][j] = covariance(lengths, &points[i * kWidth], &points[j * kWidth]) +
                (i == j ? std::exp(lengths.log_noise) + 1e-6 : 0);
  const std::vector<double> alpha = solve(k, values);
  for (std::size_t c = 0; c < kCandidates; ++c) {
    std::vector<double> with(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i)
      with[i] = covariance(lengths, &points[i * kWidth], &candidates[c * kWidth]);
    const std::vector<double> reduced = solve(k, with);
    double mean = 0, variance = std::exp(lengths.log_signal);
    for (std::size_t i = 0; i < kPoints; ++i) {
      mean += with[i] * alpha[i];
      variance -= with[i] * reduced[i];
    }
    EXPECT_NEAR(static_cast<double>(means[c]), mean, 1e-4) << c;
    EXPECT_NEAR(static_cast<double>(posterior.variances()[c]), variance, 1e-4) << c;
  }
}

TEST(GaussianProcess, FindsWhichFeatureCounts) {
  Draws draws(3);
  Points points{kWidth, draw_rows(draws, 60)};
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i) values.push_back(std::sin(8 * static_cast<double>(points[i][1])));
  const std::vector<Features::Scale> scales(kWidth, {0.2, 0.8});
  const KernelLengths fitted = fit_lengths(points, values, scales, {{0.2, 0.2, 0.2}}, 40);
  EXPECT_LT(fitted.log_length[1], -0.3);
  EXPECT_GT(fitted.log_length[0], fitted.log_length[1] + 1);
  EXPECT_GT(fitted.log_length[2], fitted.log_length[1] + 1);
  EXPECT_LT(fitted.log_noise, -4.6) << "there is none";
}

TEST(GaussianProcess, TheSamePointTwiceIsNoTrouble) {
  const KernelLengths lengths{{0, 0, 0}};
  PoolPosterior posterior(lengths, {{0.5f}, {0.5f}, {0.5f}});
  const std::vector<float> point{0.5f, 0.5f, 0.5f};
  for (int i = 0; i < 5; ++i) posterior.add(point);
  std::vector<float> means;
  posterior.means({1, 1, 1, 1, 1}, means);
  EXPECT_NEAR(means[0], 1, 0.01);
  EXPECT_LT(posterior.variances()[0], 0.01);
}

} // namespace
} // namespace warptune

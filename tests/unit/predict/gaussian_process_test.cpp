// The Gaussian process compared with its definition: products with the covariance itself.
#include "predict/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace warptune {
namespace {

constexpr std::size_t kPoints = 40; // more than add() makes room for at first

// Positive definite: points on a line; nearby points are similar.
std::vector<double> covariance(double noise = 0.01) {
  std::vector<double> out(kPoints * kPoints);
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = 0; j < kPoints; ++j) {
      const double step = (static_cast<double>(i) - static_cast<double>(j)) / 5;
      out[i * kPoints + j] = std::exp(-step * step / 2) + (i == j ? noise : 0);
    }
  return out;
}

std::vector<double> some_values() {
  std::vector<double> values;
  for (std::size_t i = 0; i < kPoints; ++i) values.push_back(std::sin(static_cast<double>(i)));
  return values;
}

TEST(GaussianProcess, WeightsSolveTheEquations) {
  const std::vector<double> k = covariance(), values = some_values();
  GaussianProcess process;
  ASSERT_TRUE(process.fit(k, kPoints));
  std::vector<double> weights = values;
  process.solve(weights);
  for (std::size_t i = 0; i < kPoints; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kPoints; ++j) sum += k[i * kPoints + j] * weights[j];
    EXPECT_NEAR(sum, values[i], 1e-9) << i;
  }
}

TEST(GaussianProcess, OnlyTheLowerTriangleIsRead) {
  std::vector<double> k = covariance();
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = i + 1; j < kPoints; ++j) k[i * kPoints + j] = std::nan("");
  GaussianProcess whole, half;
  ASSERT_TRUE(whole.fit(covariance(), kPoints));
  ASSERT_TRUE(half.fit(k, kPoints));
  std::vector<double> a = some_values(), b = a;
  whole.solve(a);
  half.solve(b);
  EXPECT_EQ(a, b);
}

TEST(GaussianProcess, PointByPointIsTheSameAsAllAtOnce) {
  const std::vector<double> k = covariance();
  GaussianProcess at_once, one_by_one;
  ASSERT_TRUE(at_once.fit(k, kPoints));
  for (std::size_t i = 0; i < kPoints; ++i) one_by_one.add(std::span(k).subspan(i * kPoints, i + 1));
  ASSERT_EQ(one_by_one.points(), kPoints);
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(one_by_one.factor_row(i)[j], at_once.factor_row(i)[j], 1e-9) << i << " " << j;
  EXPECT_NEAR(one_by_one.half_log_determinant(), at_once.half_log_determinant(), 1e-9);
  std::vector<double> a = some_values(), b = a;
  at_once.whiten(a);
  one_by_one.whiten(b);
  for (std::size_t i = 0; i < kPoints; ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

TEST(GaussianProcess, TheInverseIsTheInverse) {
  const std::vector<double> k = covariance();
  GaussianProcess process;
  ASSERT_TRUE(process.fit(k, kPoints));
  std::vector<double> inverse;
  process.invert(inverse);
  const auto at = [&](std::size_t i, std::size_t j) { return inverse[std::max(i, j) * kPoints + std::min(i, j)]; };
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = 0; j < kPoints; ++j) {
      double sum = 0;
      for (std::size_t m = 0; m < kPoints; ++m) sum += k[i * kPoints + m] * at(m, j);
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-8) << i << " " << j;
    }
}

TEST(GaussianProcess, WhatIsNotPositiveDefiniteIsRefused) {
  GaussianProcess process;
  EXPECT_FALSE(process.fit(std::vector<double>{1, 2, 2, 1}, 2));
  EXPECT_TRUE(process.fit(std::vector<double>{2, 1, 1, 2}, 2)) << "and learns anew";
  EXPECT_TRUE(process.fit({}, 0));
  std::vector<double> none;
  process.solve(none);
}

TEST(GaussianProcess, TheSamePointAgainLeavesTheLeastVariance) {
  GaussianProcess process;
  const double covariances[] = {1, 1, 1};
  for (std::size_t n = 1; n <= 3; ++n) process.add(std::span(covariances).first(n));
  EXPECT_DOUBLE_EQ(process.factor_row(2)[2], std::sqrt(GaussianProcess::kMinVariance));
}

} // namespace
} // namespace warptune

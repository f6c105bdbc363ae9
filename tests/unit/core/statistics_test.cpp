#include "core/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace warptune {
namespace {

TEST(Statistics, MedianAndQuantile) {
  EXPECT_DOUBLE_EQ(median(std::vector<float>{}), 0);
  EXPECT_DOUBLE_EQ(median(std::vector<float>{3}), 3);
  EXPECT_DOUBLE_EQ(median(std::vector<float>{4, 1, 3}), 3);
  EXPECT_DOUBLE_EQ(median(std::vector<float>{4, 1, 3, 2}), 2.5);
  // R: quantile(c(1, 2, 4, 8, 16), 0.9, type = 7) is 12.8
  const std::vector<float> samples = {16, 1, 2, 8, 4};
  EXPECT_NEAR(quantile(samples, 0.9), 12.8, 1e-12);
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 16);
  EXPECT_DOUBLE_EQ(quantile(samples, 7), 16);
  EXPECT_DOUBLE_EQ(median(std::vector<float>{2, std::numeric_limits<float>::quiet_NaN()}), 2);
}

std::vector<float> ascending(int n) {
  std::vector<float> samples;
  for (int i = 1; i <= n; ++i) samples.push_back(static_cast<float>(i));
  return samples;
}

// P(B <= k) for B binomial(n, 1/2) by Pascal's recurrence.
double binomial_cdf(int n, int k) {
  std::vector<double> row = {1};
  for (int i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1, 0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      next[j] += row[j] / 2;
      next[j + 1] += row[j] / 2;
    }
    row = next;
  }
  double sum = 0;
  for (int j = 0; j <= k; ++j) sum += row[static_cast<std::size_t>(j)];
  return sum;
}

TEST(Statistics, MedianIntervalOfFewSamplesIsTheRange) {
  EXPECT_DOUBLE_EQ(median_interval(std::vector<float>{}).high, 0);
  for (int n = 1; n <= 8; ++n) {
    const Interval interval = median_interval(ascending(n));
    EXPECT_DOUBLE_EQ(interval.low, 1) << n;
    EXPECT_DOUBLE_EQ(interval.high, n) << n;
  }
}

TEST(Statistics, MedianIntervalIsTheNarrowestOf95Percent) {
  // The sample is 1..n, so the bounds are ranks: coverage is at least 95 %, and less with one rank further in.
  for (int n = 6; n <= 300; ++n) {
    const Interval interval = median_interval(ascending(n));
    const int rank = static_cast<int>(interval.low);
    ASSERT_DOUBLE_EQ(interval.high, n + 1 - rank) << n;
    ASSERT_GE(1 - 2 * binomial_cdf(n, rank - 1), 0.95) << n;
    ASSERT_LT(1 - 2 * binomial_cdf(n, rank), 0.95) << n;
  }
}

TEST(Statistics, MedianIntervalOfManySamples) {
  const Interval interval = median_interval(ascending(100000));
  EXPECT_NEAR(interval.low, 50000 - 310, 2);
  EXPECT_NEAR(interval.high, 50001 + 310, 2);
}

// Student's t with 4 and 14 degrees of freedom: 2.776 and 2.145.
TEST(Statistics, NextIntervalIsStudentsOnLogarithms) {
  const std::vector<float> five{0.90F, 0.95F, 1, 1 / 0.95F, 1 / 0.90F};
  const double sd = std::sqrt((2 * std::pow(std::log(0.90), 2) + 2 * std::pow(std::log(0.95), 2)) / 4);
  EXPECT_NEAR(std::log(next_interval(five).high), 2.776 * sd * std::sqrt(1.2), 0.002);
  EXPECT_NEAR(std::log(next_interval(five).low), -2.776 * sd * std::sqrt(1.2), 0.002);
  std::vector<float> fifteen;
  for (int i = -7; i <= 7; ++i) fifteen.push_back(std::exp(static_cast<float>(i) * 0.01F));
  EXPECT_NEAR(std::log(next_interval(fifteen).high), 2.145 * 0.01 * std::sqrt(20.0 * 16 / 15), 0.0002);
}

TEST(Statistics, NextIntervalHoldsTheMedianAndOfFewSamplesIsTheRange) {
  EXPECT_DOUBLE_EQ(next_interval(std::vector<float>{}).high, 0);
  EXPECT_DOUBLE_EQ(next_interval(std::vector<float>{3, 1, 2, 9}).low, 1);
  EXPECT_DOUBLE_EQ(next_interval(std::vector<float>{3, 1, 2, 9}).high, 9);
  const std::vector<float> skewed{1, 1, 1, 1, 1, 1, 1, 1, 1, 1.0001F};
  EXPECT_LE(next_interval(skewed).low, 1);
  EXPECT_GE(next_interval(skewed).high, 1);
  EXPECT_DOUBLE_EQ(next_interval(std::vector<float>(15, 2)).high, 2);
}

TEST(Statistics, NextIntervalHoldsOneMoreOfTheSameInAtLeast95Of100) {
  std::mt19937 random(3);
  std::lognormal_distribution<float> time(2, 0.03F);
  int inside = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<float> samples(15);
    for (float& x : samples) x = time(random);
    const Interval interval = next_interval(samples);
    const double next = time(random);
    inside += next >= interval.low && next <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / 4000.0, 0.95, 0.012);
}

TEST(Statistics, PairedPOfSmallSamplesIsExact) {
  // All five faster: 1 of 2^5 sign patterns.
  EXPECT_DOUBLE_EQ(paired_p_faster(std::vector<float>{1, 1, 1, 1, 1}, std::vector<float>{2, 3, 4, 5, 6}), 1.0 / 32);
  EXPECT_DOUBLE_EQ(paired_p_faster(std::vector<float>{2, 3, 4, 5, 6}, std::vector<float>{1, 1, 1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(paired_p_faster(std::vector<float>{1, 2}, std::vector<float>{1, 2}), 1);
  EXPECT_DOUBLE_EQ(paired_p_faster(std::vector<float>{}, std::vector<float>{}), 1);
  // Differences -1 -2 -3 +4: R's wilcox.test(alternative = "less") gives 0.4375.
  EXPECT_DOUBLE_EQ(paired_p_faster(std::vector<float>{1, 1, 1, 5}, std::vector<float>{2, 3, 4, 1}), 7.0 / 16);
}

TEST(Statistics, PairedPWithTiesCountsAllSignPatterns) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> a, b;
    std::vector<double> differences;
    for (int i = 0; i < 8; ++i) {
      a.push_back(static_cast<float>(random() % 4));
      b.push_back(static_cast<float>(random() % 4));
      if (a.back() != b.back()) differences.push_back(static_cast<double>(a.back()) - static_cast<double>(b.back()));
    }
    if (differences.empty()) continue;
    std::vector<double> ranks;
    for (const double d : differences) {
      int below = 0, equal = 0;
      for (const double e : differences) {
        below += std::abs(e) < std::abs(d);
        equal += std::abs(e) == std::abs(d);
      }
      ranks.push_back(below + (equal + 1) / 2.0);
    }
    double observed = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) observed += differences[i] > 0 ? ranks[i] : 0;
    int as_extreme = 0;
    for (unsigned signs = 0; signs < 1u << ranks.size(); ++signs) {
      double sum = 0;
      for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1) ? ranks[i] : 0;
      as_extreme += sum <= observed;
    }
    ASSERT_NEAR(paired_p_faster(a, b), as_extreme / static_cast<double>(1u << ranks.size()), 1e-12);
  }
}

TEST(Statistics, PairedPOfLargeSamplesApproachesTheExactOne) {
  std::mt19937 random(11);
  std::normal_distribution<float> noise(0, 1);
  std::vector<float> a, b;
  for (int i = 0; i < 25; ++i) {
    a.push_back(noise(random));
    b.push_back(noise(random) + 0.3f);
  }
  const double exact = paired_p_faster(a, b);
  a.push_back(1000); // one more pair with the largest rank, first against and then for the hypothesis
  b.push_back(0);
  const double worse = paired_p_faster(a, b);
  b.back() = 2000;
  const double better = paired_p_faster(a, b);
  EXPECT_LT(better, worse);
  EXPECT_GT(exact, 0);
  EXPECT_NEAR(better, exact, 0.1);
}

TEST(MannWhitney, TellsApartWhatDiffersAndNotWhatDoesNot) {
  const std::vector<float> low = {1, 2, 3, 4, 5, 6, 7, 8}, high = {11, 12, 13, 14, 15, 16, 17, 18};
  // U = 0 of 64, standard deviation 9.522, so z = 31.5 / 9.522.
  EXPECT_NEAR(unpaired_p_different(low, high), 0.000939, 1e-5);
  EXPECT_NEAR(unpaired_p_different(high, low), 0.000939, 1e-5) << "two-sided";
  EXPECT_NEAR(unpaired_p_different(low, low), 1, 1e-9);
  const std::vector<float> ties = {1, 1, 2, 2, 2, 3, 3, 4}, more = {2, 2, 3, 3, 4, 4, 5, 5};
  EXPECT_NEAR(unpaired_p_different(ties, more), 0.05895, 1e-4) << "9.266 for the ties instead of 9.522";
  EXPECT_EQ(unpaired_p_different(std::vector<float>(9, 1.F), std::vector<float>(9, 1.F)), 1) << "all equal";
  EXPECT_EQ(unpaired_p_different({}, low), 1);
}

TEST(Holm, EachIsAsLargeAsItMustBe) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = holm_adjusted(p);
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02}; // R: p.adjust(p, "holm")
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12) << i;
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.9, 0.8})[0], 1);
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(Ratio, CombinesTheIntervalsOfBoth) {
  // Intervals of 10 % to both sides on a logarithmic scale: sqrt(2) * ln 1.1 together.
  const Ratio ratio = ratio_of(20, {20 / 1.1, 20 * 1.1}, 10, {10 / 1.1, 10 * 1.1});
  EXPECT_NEAR(ratio.value, 2, 1e-12);
  EXPECT_NEAR(ratio.high, 2 * std::pow(1.1, std::sqrt(2.0)), 1e-9);
  EXPECT_NEAR(ratio.low, 2 / std::pow(1.1, std::sqrt(2.0)), 1e-9);
  const Ratio exact = ratio_of(20, {20, 20}, 10, {0, 0});
  EXPECT_EQ(exact.low, 2);
  EXPECT_EQ(exact.high, 2);
}

TEST(Ratio, OfPairsFollowsNoCommonChange) {
  const std::vector<float> a = {10, 20, 40, 0, 10, 10, 10}, b = {20, 40, 80, 50, 21, 19, 20};
  const Ratio ratio = ratio_of_pairs(b, a);
  EXPECT_EQ(ratio.value, 2);
  EXPECT_NEAR(ratio.low, 1.9, 1e-6);
  EXPECT_NEAR(ratio.high, 2.1, 1e-6);
  EXPECT_EQ(ratio_of_pairs({}, a).value, 0);
}

} // namespace
} // namespace warptune

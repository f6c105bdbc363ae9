// Comparing results: which differences are changes, given the number of comparisons, and the sentences about them.
#include "report/compare.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Outcome outcome(const std::string& kernel, double median_us, double relative_width = 0.002) {
  Outcome o;
  o.kernel = kernel;
  o.problem = "n=1;fp32";
  o.device = "NVIDIA H200";
  o.config = "VEC=4";
  o.driver = "580.1";
  o.median_us = median_us;
  o.ci_low_us = median_us * (1 - relative_width);
  o.ci_high_us = median_us * (1 + relative_width);
  for (int i = -6; i <= 6; ++i) o.samples_us.push_back(static_cast<float>(median_us * (1 + i * relative_width / 2)));
  return o;
}

ComparedRow only_row(const Outcome& a, const Outcome& b) {
  const Comparison c = compare_outcomes({a}, {b});
  EXPECT_EQ(c.rows.size(), 1U);
  return c.rows.empty() ? ComparedRow() : c.rows.front();
}

TEST(Compare, FasterSlowerSame) {
  EXPECT_EQ(only_row(outcome("k", 100), outcome("k", 80)).change, Change::faster);
  const ComparedRow slower = only_row(outcome("k", 100), outcome("k", 110));
  EXPECT_EQ(slower.change, Change::slower);
  EXPECT_NEAR(slower.ratio, 1.1, 1e-9);
  EXPECT_LT(slower.ratio_low, 1.1);
  EXPECT_GT(slower.ratio_low, 1.09);
  EXPECT_LT(slower.p_value, 0.001);
  EXPECT_TRUE(slower.by_samples);
  const ComparedRow same = only_row(outcome("k", 100), outcome("k", 100));
  EXPECT_EQ(same.change, Change::same);
  EXPECT_GT(same.p_value, 0.5);
}

TEST(Compare, ASmallEffectIsNoChangeHoweverSure) {
  const ComparedRow row = only_row(outcome("k", 100, 1e-5), outcome("k", 100.5, 1e-5));
  EXPECT_LT(row.p_value, 0.001);
  EXPECT_EQ(row.change, Change::same);
}

TEST(Compare, NoiseIsNoChangeHoweverLarge) {
  const ComparedRow row = only_row(outcome("k", 100, 0.3), outcome("k", 105, 0.3));
  EXPECT_EQ(row.change, Change::same);
  EXPECT_LT(row.ratio_low, 1);
  EXPECT_GT(row.ratio_high, 1);
}

TEST(Compare, FewSamplesAreJudgedByTheIntervals) {
  Outcome a = outcome("k", 100), b = outcome("k", 110);
  a.samples_us.resize(5);
  const ComparedRow row = only_row(a, b);
  EXPECT_FALSE(row.by_samples);
  EXPECT_EQ(row.change, Change::slower);
  a.ci_low_us = a.ci_high_us = a.median_us;
  b.ci_low_us = b.ci_high_us = b.median_us;
  EXPECT_EQ(only_row(a, b).change, Change::slower) << "intervals of no width";
  EXPECT_EQ(only_row(a, a).change, Change::same);
}

TEST(Compare, SamplesThatContradictTheResultProveNothing) {
  const Outcome a = outcome("k", 100);
  Outcome b = outcome("k", 90);
  b.samples_us = outcome("k", 110).samples_us;
  const ComparedRow row = only_row(a, b);
  EXPECT_TRUE(row.by_samples);
  EXPECT_EQ(row.p_value, 1);
  EXPECT_EQ(row.change, Change::same);
}

TEST(Compare, ManyComparisonsAreCorrectedFor) {
  std::vector<Outcome> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(outcome("k" + std::to_string(i), 100, 0.1));
    b.push_back(outcome("k" + std::to_string(i), 100, 0.1));
  }
  Outcome x = outcome("k0", 100, 0.02), y = outcome("k0", 100, 0.02);
  x.samples_us = {98, 98.5, 99, 99.5, 100, 100.5, 101, 102};
  y.median_us = 102;
  y.ci_low_us = 101.9;
  y.ci_high_us = 102.1;
  x.ci_low_us = 99.9;
  x.ci_high_us = 100.1;
  y.samples_us = {99.8F, 100.8F, 101.2F, 101.6F, 102, 102.4F, 103, 104};
  EXPECT_EQ(only_row(x, y).change, Change::slower) << "alone";
  a[0] = x;
  b[0] = y;
  for (const ComparedRow& row : compare_outcomes(a, b).rows) EXPECT_EQ(row.change, Change::same) << "one of forty";
}

TEST(Compare, LargestEffectFirstAndWhatIsInOneAlone) {
  const Comparison c = compare_outcomes({outcome("a", 100), outcome("b", 100), outcome("c", 100), outcome("only", 1)},
                                        {outcome("c", 50), outcome("a", 100.9), outcome("b", 130), outcome("new", 1)});
  std::vector<std::string> order;
  for (const ComparedRow& row : c.rows) order.push_back(row.a.kernel);
  EXPECT_THAT(order, ElementsAre("c", "b", "a"));
  ASSERT_EQ(c.only_a.size(), 1U);
  EXPECT_EQ(c.only_a[0].kernel, "only");
  ASSERT_EQ(c.only_b.size(), 1U);
  EXPECT_EQ(c.only_b[0].kernel, "new");
  EXPECT_EQ(summary_sentence(c), "3 results in both: 1 faster, 1 slower, 1 the same; largest slowdown: b n=1;fp32, "
                                 "1.30x; 1 only in A; 1 only in B.");
}

TEST(Compare, SaysWhatElseChanged) {
  Outcome a = outcome("k", 100), b = a;
  EXPECT_TRUE(only_row(a, b).differences.empty());
  b.config = "VEC=8";
  b.driver = "590.2";
  b.source_hash = "other";
  a.sm_clock_mhz = 1980;
  b.sm_clock_mhz = 1755;
  b.certified = true;
  EXPECT_THAT(only_row(a, b).differences,
              ElementsAre("config VEC=4 -> VEC=8", "the kernel's sources", "driver 580.1 -> 590.2",
                          "SM clock 1980 -> 1755 MHz", "now certified"));
  b.sm_clock_mhz = 1975;
  for (const std::string& text : only_row(a, b).differences) EXPECT_THAT(text, testing::Not(HasSubstr("clock")));
}

TEST(Compare, AnotherProblemOrDeviceIsAnotherResult) {
  Outcome b = outcome("k", 50);
  b.device = "NVIDIA H100";
  const Comparison c = compare_outcomes({outcome("k", 100)}, {b});
  EXPECT_TRUE(c.rows.empty());
  EXPECT_EQ(c.only_a.size(), 1U);
  EXPECT_EQ(c.only_b.size(), 1U);
}

} // namespace
} // namespace warptune::report

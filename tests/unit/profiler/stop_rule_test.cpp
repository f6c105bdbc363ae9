// Decides from the samples only when a measurement stops.
#include "profiler/stop_rule.h"

#include <gtest/gtest.h>
#include <vector>

namespace warptune {
namespace {

std::vector<float> samples(int count, float base, float spread) {
  std::vector<float> all;
  for (int i = 0; i < count; ++i) all.push_back(base + spread * static_cast<float>(i % 5 - 2));
  return all;
}

TEST(StopRule, asksForMoreUntilTheFewestAreThere) {
  const MeasureOptions options;
  EXPECT_EQ(decide_next({}, 0, options), Next::more);
  EXPECT_EQ(decide_next(samples(6, 100, 0), 0.6, options), Next::more);
  EXPECT_EQ(decide_next(samples(7, 100, 0), 0.7, options), Next::enough) << "no noise at all";
}

TEST(StopRule, noiseNeedsMoreUpToTheMost) {
  const MeasureOptions options;
  EXPECT_EQ(decide_next(samples(20, 100, 5), 2, options), Next::more);
  EXPECT_EQ(decide_next(samples(100, 100, 5), 10, options), Next::enough);
}

TEST(StopRule, theIntervalDecidesAtItsTarget) {
  const MeasureOptions options; // 0.5 % of the median to either side
  EXPECT_EQ(decide_next(samples(20, 100, 0.4F), 2, options), Next::enough);
  EXPECT_EQ(decide_next(samples(20, 100, 0.6F), 2, options), Next::more);
}

TEST(StopRule, aLongKernelIsNotRunMoreOftenThanItsTimeAllows) {
  const MeasureOptions options;
  EXPECT_EQ(decide_next(samples(2, 500e3F, 5), 1000, options), Next::more);
  EXPECT_EQ(decide_next(samples(3, 500e3F, 5), 1500, options), Next::enough);
}

TEST(StopRule, racingDropsTheHopelessEarlyAndTheSlowerLater) {
  MeasureOptions options;
  options.drop_above_us = 100;
  EXPECT_EQ(decide_next(samples(2, 300, 0), 1, options), Next::more);
  EXPECT_EQ(decide_next(samples(3, 300, 0), 1, options), Next::drop);
  EXPECT_EQ(decide_next(samples(3, 110, 5), 1, options), Next::more) << "it may be noise";
  EXPECT_EQ(decide_next(samples(3, 110, 1), 1, options), Next::drop) << "further above than they lie apart";
  EXPECT_EQ(decide_next(samples(7, 110, 1), 1, options), Next::drop);
  EXPECT_NE(decide_next(samples(7, 101, 2), 1, options), Next::drop) << "its interval reaches the best";
  EXPECT_NE(decide_next(samples(7, 90, 1), 1, options), Next::drop);
  options.drop_above_us = 0;
  EXPECT_NE(decide_next(samples(7, 1e6F, 1), 1, options), Next::drop);
}

TEST(StopRule, oneLaunchDropsOnlyWhatIsFarTooSlow) {
  MeasureOptions options;
  options.drop_above_us = 1000;
  EXPECT_TRUE(is_hopeless_at_once(1131, options));
  EXPECT_FALSE(is_hopeless_at_once(1129, options)) << "a first launch may wait for what later ones find";
  options.drop_above_us = 5;
  EXPECT_FALSE(is_hopeless_at_once(50, options)) << "so a short kernel is never judged by it";
  options.drop_above_us = 0;
  EXPECT_FALSE(is_hopeless_at_once(1e6, options)) << "nothing is known yet, or racing is off";
}

TEST(StopRule, aLongQuietKernelNeedsFewSamples) {
  const MeasureOptions options;
  EXPECT_EQ(decide_next(samples(3, 4000, 5), 12, options), Next::enough);
  EXPECT_EQ(decide_next(samples(3, 4000, 10), 12, options), Next::more) << "they differ by 1 %";
  EXPECT_EQ(decide_next(samples(3, 400, 0.5F), 1.2, options), Next::more) << "more cost nothing";
  EXPECT_EQ(next_batch({}, 0, options, 64, 4000), 3);
  EXPECT_EQ(next_batch(samples(1, 4000, 0), 4, options, 64, 4000), 2);
  EXPECT_EQ(next_batch({}, 0, options, 64, 40), 7);
  EXPECT_EQ(next_batch(samples(3, 4000, 10), 12, options, 64), 4) << "up to the usual number";
}

TEST(StopRule, batchesStayWithinEveryLimit) {
  MeasureOptions options;
  EXPECT_EQ(next_batch({}, 0, options, 64), 1);
  EXPECT_EQ(next_batch(samples(1, 10, 0), 0, options, 64), 6);
  EXPECT_EQ(next_batch(samples(40, 10, 0), 1, options, 64), 20);
  EXPECT_EQ(next_batch(samples(40, 10, 0), 1, options, 8), 8);
  EXPECT_EQ(next_batch(samples(95, 10, 0), 1, options, 64), 5);
  EXPECT_EQ(next_batch(samples(1, 500e3F, 0), 500, options, 64), 2) << "as many as the rule insists on";
  EXPECT_EQ(next_batch(samples(9, 50e3F, 0), 150, options, 64), 1) << "what the time still allows";
}

} // namespace
} // namespace warptune

#include "worker/compile_times.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(CompileTimes, KnowsNothingAtFirst) {
  const CompileTimes times;
  EXPECT_EQ(times.mean_ms(), 0);
  EXPECT_EQ(times.expected_ms({1, 2}), 0);
}

TEST(CompileTimes, EachValueHasAFactorOfItsOwn) {
  CompileTimes times;
  for (const std::int64_t unroll : {1, 4, 16})
    for (const std::int64_t block : {64, 128})
      if (unroll != 16 || block != 128) times.add({unroll, block}, 100.0 * static_cast<double>(unroll));
  EXPECT_GT(times.expected_ms({16, 128}), times.expected_ms({4, 128}));
  EXPECT_GT(times.expected_ms({4, 64}), times.expected_ms({1, 64}));
  EXPECT_GT(times.expected_ms({16, 128}), 800) << "never compiled, and known all the same";
}

TEST(CompileTimes, ValuesNeverSeenAndTimesOfZeroAreNoTrouble) {
  CompileTimes times;
  times.add({1}, 0);
  times.add({1}, 10);
  EXPECT_DOUBLE_EQ(times.mean_ms(), 5);
  EXPECT_NEAR(times.expected_ms({7}), 0.1, 1e-9) << "the geometric mean of all";
}

} // namespace
} // namespace warptune

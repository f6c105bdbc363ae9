// The search of a split problem, event by event.
#include "bench/split_replay.h"
#include "support/toy.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

struct SplitReplayTest : testing::Test {
  const Kernel kernel = test::toy_kernel();
  const SearchSpace space = SearchSpace::build(kernel.spec, test::toy_problem(kernel), test::toy_device()).value();
  double compile_s = 0, device_s = 1;

  SplitReplay run(const SplitPlan& plan, const char* strategy = "exhaustive") const {
    const auto made = make_strategy(strategy, space, 1);
    EXPECT_TRUE(made);
    return replay_split(
        **made,
        [&](ConfigIndex index) {
          return SplitEvaluation{{index, true, 10 + std::abs(static_cast<double>(index) - 7)}, compile_s, device_s};
        },
        plan);
  }
  // Everything happens at once, without a window.
  SplitPlan plan(int devices, double delay_s = 0) const {
    SplitPlan made;
    made.devices = devices;
    made.delay_s = delay_s;
    made.budget = space.size();
    return made;
  }
};

TEST_F(SplitReplayTest, ADeviceMeasuresOneAfterTheOther) {
  const SplitReplay one = run(plan(1));
  EXPECT_EQ(static_cast<std::int64_t>(one.order.size()), space.size());
  EXPECT_EQ(std::set<ConfigIndex>(one.order.begin(), one.order.end()).size(), one.order.size());
  EXPECT_DOUBLE_EQ(one.wall_s(), static_cast<double>(space.size()));
  EXPECT_DOUBLE_EQ(one.seen_s.front(), 1);
}

TEST_F(SplitReplayTest, DevicesShareTheWork) {
  const auto rounds = std::ceil(static_cast<double>(space.size()) / 4);
  EXPECT_DOUBLE_EQ(run(plan(4)).wall_s(), rounds);
  EXPECT_DOUBLE_EQ(run(plan(4, 0.5)).wall_s(), rounds + 0.5) << "the last result is seen later";
}

TEST_F(SplitReplayTest, CompilersWorkAtTheSameTime) {
  compile_s = 10;
  device_s = 0;
  SplitPlan one = plan(1);
  one.compilers = 2;
  EXPECT_DOUBLE_EQ(run(one).wall_s(), 10 * std::ceil(static_cast<double>(space.size()) / 2));
}

// The proposals depend on the candidates under way, not on which device measures them or how long it takes.
TEST_F(SplitReplayTest, TheProposalsAreThoseOfOneDevice) {
  SplitPlan few = plan(4, 3), alone = plan(1);
  few.ahead = alone.ahead = 6;
  few.budget = alone.budget = 24;
  const auto one = run(alone, "surrogate").order;
  EXPECT_EQ(run(few, "surrogate").order, one);
  compile_s = 2;
  EXPECT_EQ(run(few, "surrogate").order, one);
  few.ahead = 24;
  EXPECT_NE(run(few, "surrogate").order, one);
}

TEST_F(SplitReplayTest, TheWindowHoldsTheDevicesUp) {
  SplitPlan narrow = plan(4);
  narrow.ahead = 1;
  EXPECT_DOUBLE_EQ(run(narrow, "surrogate").wall_s(), static_cast<double>(space.size()));
}

} // namespace
} // namespace warptune

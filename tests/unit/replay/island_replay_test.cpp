#include "replay/island_replay.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

constexpr std::int64_t kSize = 64;

// A valley over three params with this many values each; some configurations fail.
RecordedSpace valley(std::int64_t values = 4) {
  RecordedSpaceBuilder builder;
  builder.header.name = "valley";
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(builder.add_param(name));
  const double deepest = 0.7 * static_cast<double>(values);
  for (std::int64_t i = 0; i < values * values * values; ++i) {
    Positions at;
    RecordedOutcome outcome;
    outcome.status = i % 7 == 3 ? TrialStatus::launch_failed : TrialStatus::ok;
    double time_ms = 1;
    std::int64_t rest = i;
    for (int param = 0; param < 3; ++param, rest /= values) {
      const std::int64_t value = rest % values;
      at.push_back(builder.value(param, {ParamLabel::Kind::integer, std::to_string(value)}));
      time_ms += std::abs(static_cast<double>(value) - deepest);
    }
    if (outcome.status == TrialStatus::ok) outcome.time_ms = time_ms;
    EXPECT_TRUE(builder.add_row(at, std::move(outcome)));
  }
  auto space = builder.finish();
  EXPECT_TRUE(space);
  return std::move(*space);
}

ReplayRun run(const StrategyChoice& strategy, const IslandOptions& options, std::uint64_t seed = 5) {
  auto made = replay_islands(valley(), strategy, seed, options);
  EXPECT_TRUE(made);
  return made ? std::move(*made) : ReplayRun();
}

std::vector<std::pair<std::int64_t, double>> shown_steps(const ReplayRun& run) {
  std::vector<std::pair<std::int64_t, double>> out;
  for (const auto& i : run.trace.improvements) out.emplace_back(i.evaluations, i.best_ms);
  return out;
}

TEST(IslandReplay, OneIslandIsOneSearcher) {
  for (const char* strategy : {"random", "portfolio", "annealing"}) {
    ReplayOptions alone;
    alone.budget = 30;
    const auto one = replay(valley(), {strategy, {}}, 5, alone);
    ASSERT_TRUE(one);
    const ReplayRun island = run({strategy, {}}, {1, 1, 30});
    EXPECT_EQ(shown_steps(island), shown_steps(*one)) << strategy;
    EXPECT_EQ(island.evaluations, one->evaluations);
  }
}

TEST(IslandReplay, TheBudgetIsThatOfAllIslands) {
  EXPECT_EQ(run({"random", {}}, {4, 1, 30}).evaluations, 30);
  EXPECT_EQ(run({"random", {}}, {3, 4, 10}).evaluations, 10);
}

TEST(IslandReplay, NothingIsMeasuredTwice) {
  for (const std::int64_t interval : {1, 4, 100})
    EXPECT_EQ(run({"portfolio", {}}, {4, interval, 1000}).evaluations, kSize) << interval;
}

// Four islands with an interval of 1 know as much as one searcher that proposes four at a time.
TEST(IslandReplay, OnlyTheSizeOfARoundMatters) {
  EXPECT_EQ(shown_steps(run({"portfolio", {}}, {4, 1, 40})), shown_steps(run({"portfolio", {}}, {1, 4, 40})));
  EXPECT_EQ(shown_steps(run({"portfolio", {}}, {2, 4, 40})), shown_steps(run({"portfolio", {}}, {8, 1, 40})));
}

TEST(IslandReplay, ResultsOfARoundGuideTheNext) {
  const RecordedSpace space = valley(12);
  const auto found = [&](const IslandOptions& options) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto run = replay_islands(space, {"surrogate", {}}, seed, options);
      EXPECT_TRUE(run);
      if (run) sum += run->trace.improvements.back().best_ms;
    }
    return sum;
  };
  EXPECT_LT(found({4, 1, 60}), found({4, 15, 60}));
}

} // namespace
} // namespace warptune

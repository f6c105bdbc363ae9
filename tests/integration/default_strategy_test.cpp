// The default strategy on recorded spaces: better than chance, and not worse than any other strategy, including those
// that it combines. A small version of `make bench-search`; fixed seeds make it reproducible.
#include "recording/recorded_space_file.h"
#include "replay/strategy_replay.h"
#include "replay/strategy_score.h"
#include "search/strategy.h"
#include "support/paths.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace warptune {
namespace {

constexpr int kSeeds = 8;
constexpr std::int64_t kBudget = 100;
constexpr std::size_t kAt100 = 2; // index in kScoredBudgets
// Tolerance for the mean over spaces: twice its standard error with this small number of seeds.
constexpr double kNoise = 0.01;

// Several kernels, devices of two vendors, with failures and without; one space misleads models.
std::vector<RecordedSpace> load_spaces() {
  std::vector<RecordedSpace> spaces;
  for (const char* name :
       {"convolution_milo__A100", "dedispersion_milo__W6600", "gemm__RTX_3090", "pnpoly__RTX_3090"}) {
    auto space = load_recorded_space(test::share_dir() / "recordings" / "spaces" / (name + std::string(".json.gz")));
    EXPECT_TRUE(space) << space.error().message;
    if (space) spaces.push_back(std::move(*space));
  }
  return spaces;
}

// Fails if a strategy proposes a configuration outside the space, or one twice.
std::vector<StrategyScore> scores(const std::vector<RecordedSpace>& spaces, ReplayPlan plan) {
  std::map<std::string, double> best_ms;
  for (const RecordedSpace& space : spaces) {
    plan.spaces.push_back(&space);
    best_ms[space.name] = space.best_ms();
  }
  plan.jobs = 2;
  auto runs = replay_all(
      plan, [](std::size_t, std::size_t) {}, std::atomic<bool>{false});
  EXPECT_TRUE(runs) << runs.error().message;
  std::vector<SearchTrace> traces;
  if (runs)
    for (ReplayRun& run : runs->complete) traces.push_back(std::move(run.trace));
  return score_strategies(traces, best_ms);
}

const StrategyScore& score_of(const std::vector<StrategyScore>& all, std::string_view name) {
  static const StrategyScore none;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.strategy == name; });
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? none : *found;
}

TEST(DefaultStrategy, IsBetterThanChanceAndNoWorseThanAnyOtherAlone) {
  const std::vector<RecordedSpace> spaces = load_spaces();
  ReplayPlan plan;
  plan.strategies = *parse_strategies("all");
  plan.seeds = kSeeds;
  plan.options.budget = kBudget;
  const auto all = scores(spaces, std::move(plan));
  const StrategyScore& ours = score_of(all, kDefaultStrategy);
  const StrategyScore& chance = score_of(all, "random");
  ASSERT_EQ(ours.spaces.size(), spaces.size());
  for (std::size_t b = 0; b <= kAt100; ++b) EXPECT_GT(ours.at[b], chance.at[b]) << kScoredBudgets[b];
  for (const auto& [name, score] : ours.spaces) EXPECT_GT(score.at[kAt100], chance.spaces.at(name).at[kAt100]) << name;
  for (const StrategyScore& other : all) EXPECT_GE(ours.at[kAt100], other.at[kAt100] - kNoise) << other.strategy;
}

// As on a device that is kept busy.
TEST(DefaultStrategy, IsBetterThanChanceWithManyUnderWay) {
  const std::vector<RecordedSpace> spaces = load_spaces();
  ReplayPlan plan;
  plan.strategies = {{std::string(kDefaultStrategy), {}}, {"random", {}}};
  plan.seeds = 2;
  plan.options.budget = kBudget;
  plan.options.batch = 16;
  const auto all = scores(spaces, std::move(plan));
  EXPECT_GT(score_of(all, kDefaultStrategy).at[kAt100], score_of(all, "random").at[kAt100]);
}

} // namespace
} // namespace warptune

// Observations help: every strategy that learns beats the one that does not. Deterministic by seed.
#include "support/search_spaces.h"

namespace warptune {
namespace {

using testing::grid;
using testing::smooth_time_us;

constexpr std::uint64_t kSeeds = 10;
constexpr std::int64_t kEvaluations = 100;

// Mean over the seeds of the logarithm of the best time found.
double mean_best(const std::string& name, const SearchSpace& space, std::size_t batch) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto strategy = make_strategy(name, space, seed);
    double best = std::numeric_limits<double>::infinity();
    testing::propose_all(
        **strategy, space, batch,
        [&](ConfigIndex index) {
          const double time_us = smooth_time_us(space, index);
          best = std::min(best, time_us);
          return Observation{index, true, time_us};
        },
        kEvaluations);
    sum += std::log(best);
  }
  return sum / kSeeds;
}

// The number of failures among the first proposals in a space in which the upper half of one param fails.
int failures(const std::string& name, const SearchSpace& space) {
  int failed = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto strategy = make_strategy(name, space, seed);
    testing::propose_all(
        **strategy, space, 1,
        [&](ConfigIndex index) {
          const bool ok = space.config(index)[1] <= 4;
          failed += ok ? 0 : 1;
          return Observation{index, ok, smooth_time_us(space, index)};
        },
        kEvaluations);
  }
  return failed;
}

class LearningStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(LearningStrategy, BeatsRandomOnASmoothSpace) {
  const SearchSpace space = grid(6, 8, R"([{"expr": "A * B <= 40", "why": "w"}])");
  const double random = mean_best("random", space, 1);
  EXPECT_LT(mean_best(GetParam(), space, 1), random - 0.05);
  EXPECT_LT(mean_best(GetParam(), space, 8), random - 0.05);
}

TEST_P(LearningStrategy, AvoidsWhereMostFails) {
  const SearchSpace space = grid(6, 8);
  EXPECT_LT(failures(GetParam(), space), failures("random", space) * 2 / 3);
}

// The mean over the seeds of the best time among its own proposals; if `told`, after one nearly optimal result from
// outside.
double mean_best_after_a_hint(const std::string& name, const SearchSpace& space, bool told) {
  const Config hint = {6, 6, 6, 6, 5, 7};
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto strategy = make_strategy(name, space, seed);
    double best = std::numeric_limits<double>::infinity();
    const auto observe = [&](ConfigIndex index) {
      const double time_us = smooth_time_us(space, index);
      best = std::min(best, time_us);
      return Observation{index, true, time_us};
    };
    testing::propose_all(**strategy, space, 1, observe, 5);
    const ConfigIndex at = *space.find(hint);
    if (told) (*strategy)->observe({at, true, smooth_time_us(space, at)});
    testing::propose_all(**strategy, space, 1, observe, 20);
    sum += std::log(best);
  }
  return sum / kSeeds;
}

// The parts of a portfolio share their observations.
TEST_P(LearningStrategy, GoesOnFromWhatOthersFound) {
  const SearchSpace space = grid(6, 8);
  EXPECT_LT(mean_best_after_a_hint(GetParam(), space, true), mean_best_after_a_hint(GetParam(), space, false));
}

std::vector<std::string> names() {
  const SearchSpace space = testing::single();
  std::vector<std::string> all;
  for (const StrategyEntry& entry : strategies())
    if ((*make_strategy(entry.name, space, 0))->learns()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, LearningStrategy, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

} // namespace
} // namespace warptune

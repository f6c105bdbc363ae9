// The contract of every registered strategy; a new one is tested by being registered.
#include "search/strategy.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <set>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

SearchSpace space_of(const std::string& shape, const std::string& constraints) {
  SpecText text;
  text.set("params",
           R"({"WARPS": {"values": [1, 2, 4, 8, 16], "default": 4}, "VEC": {"values": [1, 2, 4], "default": 2},
                         "U": {"values": [1, 2, 3, 4, 5, 6, 7], "default": 1}, "S": {"values": [0, 1], "default": 0}})");
  text.set("constraints", constraints);
  const KernelSpec spec = text.parse();
  auto space = SearchSpace::build(spec, problem_of(spec, shape), h200_device());
  EXPECT_TRUE(space.has_value()) << space.error().message;
  return std::move(*space);
}

SearchSpace medium() { return space_of("rows=64,cols=1024", R"([{"expr": "WARPS * U <= 40", "why": "w"}])"); }
SearchSpace single() {
  return space_of("rows=64,cols=1024", R"([{"expr": "WARPS == 4 && VEC == 2 && U == 1 && S == 0", "why": "w"}])");
}

enum class Objective { smooth, constant, all_failed, not_a_number, infinite };

Observation observe(ConfigIndex index, Objective objective) {
  switch (objective) {
  case Objective::smooth:
    return {index, index % 7 != 0, 100 + std::sin(static_cast<double>(index)) * 50};
  case Objective::constant:
    return {index, true, 5};
  case Objective::all_failed:
    return {index, false, 0};
  case Objective::not_a_number:
    return {index, true, std::numeric_limits<double>::quiet_NaN()};
  case Objective::infinite:
    return {index, true, std::numeric_limits<double>::infinity()};
  }
  return {index, false, 0};
}

// Everything the strategy proposes until it is done; each batch is observed before the next is asked for.
std::vector<ConfigIndex> exhaust(const std::string& name, const SearchSpace& space, std::uint64_t seed,
                                 std::size_t batch, Objective objective = Objective::smooth) {
  auto strategy = make_strategy(name, space, seed);
  EXPECT_TRUE(strategy.has_value());
  std::vector<ConfigIndex> all;
  std::set<ConfigIndex> seen;
  for (std::int64_t round = 0; round <= space.size(); ++round) {
    const std::vector<ConfigIndex> proposed = (*strategy)->propose(batch);
    if (proposed.empty()) return all;
    EXPECT_LE(proposed.size(), batch);
    for (const ConfigIndex index : proposed) {
      EXPECT_GE(index, 0);
      EXPECT_LT(index, space.size());
      EXPECT_TRUE(seen.insert(index).second) << name << " proposed " << index << " twice";
      all.push_back(index);
    }
    for (const ConfigIndex index : proposed) (*strategy)->observe(observe(index, objective));
  }
  ADD_FAILURE() << name << " does not end";
  return all;
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, ProposesEachConfigurationOnceAndEnds) {
  const SearchSpace space = medium();
  for (const std::size_t batch : {1u, 2u, 7u, 64u})
    EXPECT_EQ(static_cast<std::int64_t>(exhaust(GetParam(), space, 1, batch).size()), space.size()) << batch;
}

TEST_P(EveryStrategy, IsDeterministicBySeed) {
  const SearchSpace space = medium();
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}})
    for (const std::size_t batch : {1u, 8u})
      EXPECT_EQ(exhaust(GetParam(), space, seed, batch), exhaust(GetParam(), space, seed, batch));
}

TEST_P(EveryStrategy, SpaceOfOneConfiguration) {
  const SearchSpace space = single();
  ASSERT_EQ(space.size(), 1);
  for (const std::size_t batch : {1u, 64u})
    EXPECT_EQ(exhaust(GetParam(), space, 3, batch), (std::vector<ConfigIndex>{0}));
}

TEST_P(EveryStrategy, SurvivesAnyObjective) {
  const SearchSpace space = medium();
  for (const Objective objective :
       {Objective::constant, Objective::all_failed, Objective::not_a_number, Objective::infinite})
    EXPECT_FALSE(exhaust(GetParam(), space, 5, 4, objective).empty());
}

TEST_P(EveryStrategy, WithoutAnyObservation) {
  const SearchSpace space = medium();
  auto strategy = make_strategy(GetParam(), space, 9);
  ASSERT_TRUE(strategy.has_value());
  std::set<ConfigIndex> seen;
  for (int round = 0; round < 1000; ++round)
    for (const ConfigIndex index : (*strategy)->propose(3)) EXPECT_TRUE(seen.insert(index).second);
  EXPECT_FALSE(seen.empty());
}

// Whoever runs ahead of the observations relies on it.
TEST_P(EveryStrategy, WhatDoesNotLearnProposesTheSameWhateverIsObserved) {
  const SearchSpace space = medium();
  if ((*make_strategy(GetParam(), space, 4))->learns()) return;
  EXPECT_EQ(exhaust(GetParam(), space, 4, 5, Objective::smooth),
            exhaust(GetParam(), space, 4, 3, Objective::all_failed));
}

TEST_P(EveryStrategy, ZeroAsksForNothing) {
  const SearchSpace space = medium();
  auto strategy = make_strategy(GetParam(), space, 9);
  ASSERT_TRUE(strategy.has_value());
  EXPECT_TRUE((*strategy)->propose(0).empty());
  EXPECT_EQ((*strategy)->propose(1).size(), 1u);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const StrategyEntry& entry : strategies()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategy, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST(Registry, NamesAndSummaries) {
  std::set<std::string> seen;
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_TRUE(seen.insert(std::string(entry.name)).second);
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_EQ(seen.count("exhaustive") + seen.count("random"), 2u);
}

TEST(Registry, UnknownNamesSuggestTheNearest) {
  const SearchSpace space = single();
  const auto strategy = make_strategy("randm", space, 0);
  ASSERT_FALSE(strategy.has_value());
  EXPECT_EQ(strategy.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(strategy.error().message, "unknown strategy 'randm'; did you mean 'random'?");
  EXPECT_THAT(make_strategy("zzz", space, 0).error().message, HasSubstr("; known: annealing, "));
}

TEST(RandomStrategy, SeedsDifferAndFirstPicksAreSpread) {
  const SearchSpace space = medium();
  std::set<std::vector<ConfigIndex>> orders;
  std::vector<int> first(4);
  constexpr std::uint64_t kSeeds = 400;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto strategy = make_strategy("random", space, seed);
    const auto picks = (*strategy)->propose(5);
    orders.insert(picks);
    ++first[static_cast<std::size_t>(picks[0] * 4 / space.size())];
  }
  EXPECT_GT(orders.size(), 390u);
  for (const int quarter : first) EXPECT_NEAR(quarter, kSeeds / 4, 40);
}

} // namespace
} // namespace warptune

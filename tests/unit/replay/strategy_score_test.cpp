#include "replay/strategy_score.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

SearchTrace trace(const std::string& space, std::uint64_t seed, std::vector<std::pair<std::int64_t, double>> steps) {
  SearchTrace out{space, "s", seed, {}, 40};
  for (const auto& [evaluations, best] : steps)
    out.improvements.push_back({evaluations, best, static_cast<double>(evaluations) / 10});
  return out;
}

TEST(StrategyScore, SharesAreMeansOverSeedsThenSpaces) {
  const auto scores = score_strategies({trace("a", 0, {{1, 4}, {30, 2}}), trace("a", 1, {{26, 1}}),
                                        trace("b", 0, {{1, 10}}), trace("not asked for", 0, {{1, 1}})},
                                       {{"a", 1}, {"b", 10}});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_DOUBLE_EQ(scores[0].spaces.at("a").at[0], (0.25 + 0) / 2); // no result within 25 evaluations counts as 0
  EXPECT_DOUBLE_EQ(scores[0].spaces.at("a").at[1], (0.5 + 1) / 2);
  EXPECT_DOUBLE_EQ(scores[0].at[1], (0.75 + 1) / 2);
  EXPECT_DOUBLE_EQ(scores[0].worst_at_100, 0.75);
  EXPECT_EQ(scores[0].spaces.size(), 2u);
  EXPECT_EQ(scores[0].seeds, 1u);
}

TEST(StrategyScore, UnsuccessfulRunsCountUntilTheCap) {
  const auto scores = score_strategies({trace("a", 0, {{1, 4}, {100, 1.04}}), trace("a", 1, {{50, 2}})}, {{"a", 1}});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_DOUBLE_EQ(scores[0].evaluations_95, (100 + 400) / 1.0);
  EXPECT_DOUBLE_EQ(scores[0].evaluations_99, 800); // none reached 99 %: counts as if one had at the end
  EXPECT_DOUBLE_EQ(scores[0].spent_95_s, 10 + 40);
  EXPECT_TRUE(scores[0].is_reached_95);
  EXPECT_FALSE(scores[0].is_reached_99) << "only a bound";
}

TEST(StrategyScore, EvaluationsAreGeometricMeansOverSpaces) {
  const auto scores = score_strategies({trace("a", 0, {{4, 1}}), trace("b", 0, {{16, 1}})}, {{"a", 1}, {"b", 1}});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_NEAR(scores[0].evaluations_95, 8, 1e-9);
}

TEST(StrategyScore, TheBestStandsFirst) {
  SearchTrace better = trace("a", 0, {{1, 1}});
  better.strategy = "z";
  const auto scores = score_strategies({trace("a", 0, {{1, 2}}), better}, {{"a", 1}});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].strategy, "z");
}

TEST(StrategyScore, WhatABudgetKeptFromBeingSeenIsNotKnown) {
  SearchTrace cut = trace("a", 0, {{1, 4}, {30, 2}});
  cut.budget = 60;
  const auto scores = score_strategies({cut, trace("a", 1, {{20, 1}}), trace("b", 0, {{1, 1}})}, {{"a", 1}, {"b", 1}});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_DOUBLE_EQ(scores[0].at[1], (0.75 + 1) / 2) << "by 50 all is known";
  EXPECT_TRUE(std::isnan(scores[0].spaces.at("a").at[2]));
  EXPECT_DOUBLE_EQ(scores[0].spaces.at("b").at[2], 1);
  EXPECT_TRUE(std::isnan(scores[0].at[2]));
  EXPECT_TRUE(std::isnan(scores[0].worst_at_100));
  EXPECT_DOUBLE_EQ(scores[0].spaces.at("a").evaluations_95, 60 + 20) << "no evaluation counts that nobody made";
}

TEST(StrategyScore, TheOrderIsThatOfTheLargestNumberThatAllCameTo) {
  std::vector<SearchTrace> traces = {trace("a", 0, {{1, 2}}), trace("a", 0, {{1, 4}, {60, 1}}),
                                     trace("a", 0, {{1, 3}})};
  for (const char* name : {"x", "y", "z"}) traces[static_cast<std::size_t>(*name - 'x')].strategy = name;
  traces[2].budget = 50;
  const auto scores = score_strategies(traces, {{"a", 1}});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].strategy, "x");
  EXPECT_EQ(scores[1].strategy, "z");
  EXPECT_EQ(scores[2].strategy, "y");
}

} // namespace
} // namespace warptune

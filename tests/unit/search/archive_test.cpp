#include "search/archive.h"
#include "support/search_spaces.h"

namespace warptune {
namespace {

using testing::grid;
using testing::medium;
constexpr double kNoTime = std::numeric_limits<double>::infinity();

TEST(Archive, WhatIsNoTimeCountsAsFailed) {
  EXPECT_DOUBLE_EQ(log_time({0, true, std::exp(2.0)}), 2);
  for (const double time_us : {0.0, -1.0, kNoTime, std::nan("")})
    EXPECT_EQ(log_time({0, true, time_us}), kNoTime) << time_us;
  EXPECT_EQ(log_time({0, false, 5}), kNoTime);
}

TEST(Archive, KeepsCountOfWhatIsUnderWay) {
  const SearchSpace space = medium();
  Archive archive(space, 1);
  EXPECT_FALSE(archive.best().has_value());
  archive.propose(3);
  archive.observe({5, true, 8}); // from outside
  EXPECT_TRUE(archive.visited(3) && archive.visited(5) && !archive.visited(4));
  EXPECT_FALSE(archive.log_time(3).has_value());
  EXPECT_EQ(archive.in_flight(), 1u);
  archive.observe({3, true, 4});
  archive.observe({3, true, 1}); // the first result stays
  EXPECT_EQ(archive.in_flight(), 0u);
  EXPECT_EQ(archive.observed(), 2u);
  EXPECT_EQ(archive.best(), 3);
  EXPECT_DOUBLE_EQ(archive.best_log_time(), std::log(4));
}

TEST(Archive, DrawsWhatIsLeftUntilNothingIs) {
  const SearchSpace space = medium();
  Archive archive(space, 2);
  Draws draws(2);
  std::set<ConfigIndex> seen;
  for (ConfigIndex index = 0; index < space.size(); index += 3) archive.observe({index, index % 2 == 0, 5});
  while (const auto index = seen.size() % 2 ? archive.draw() : archive.fresh(draws)) {
    EXPECT_FALSE(archive.visited(*index));
    archive.propose(*index);
    seen.insert(*index);
  }
  EXPECT_EQ(static_cast<std::int64_t>(seen.size() + archive.observed()), space.size());
}

TEST(Archive, RiskRisesWhereConfigurationsFailed) {
  const SearchSpace space = grid(4, 6);
  const auto fails = [&](ConfigIndex index) { return space.config(index)[2] >= 5; };
  Archive archive(space, 3);
  ConfigIndex index = 0;
  EXPECT_EQ(archive.risk(index), 0);
  for (int i = 0; i < 60; ++i) {
    index = *archive.draw();
    archive.observe({index, !fails(index), 5});
  }
  Draws draws(3);
  double risky = 0, safe = 1;
  int spared = 0, tried = 0;
  for (index = 0; index < space.size(); ++index) {
    const double risk = archive.risk(index);
    if (fails(index)) {
      risky = std::max(risky, risk);
      if (!archive.visited(index)) ++(archive.worth(index, draws) ? tried : spared);
    } else {
      safe = std::min(safe, risk);
    }
  }
  EXPECT_GT(risky, 0.9);
  EXPECT_LE(risky, Archive::kMaxRisk);
  EXPECT_LT(safe, 0.1);
  EXPECT_GT(spared, 4 * tried);
  EXPECT_GT(tried, 0); // never completely given up
}

TEST(Archive, NoRiskWithoutBothOutcomes) {
  const SearchSpace space = medium();
  Archive archive(space, 4);
  for (ConfigIndex index = 0; index < 20; ++index) archive.observe({index, false, 0});
  EXPECT_EQ(archive.risk(50), 0);
}

} // namespace
} // namespace warptune

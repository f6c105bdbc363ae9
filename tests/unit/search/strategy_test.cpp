// The contract of every registered strategy; registering a new one is enough to test it.
#include "search/draws.h"
#include "support/search_spaces.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::medium;
using testing::single;

enum class Landscape { rugged, constant, noise, all_failed, not_a_number, infinite, zero, negative, extreme };
constexpr Landscape kLandscapes[] = {Landscape::rugged,       Landscape::constant, Landscape::noise,
                                     Landscape::all_failed,   Landscape::infinite, Landscape::zero,
                                     Landscape::not_a_number, Landscape::negative, Landscape::extreme};
constexpr std::size_t kBatches[] = {1, 2, 7, 16, 64};

constexpr double kUnmeasured = std::numeric_limits<double>::infinity(), kMaxDouble = std::numeric_limits<double>::max();

Observation observe(ConfigIndex index, Landscape landscape) {
  switch (landscape) {
  case Landscape::rugged:
    return {index, index % 7 != 0, 100 + std::sin(static_cast<double>(index)) * 50, 10 + static_cast<double>(index)};
  case Landscape::constant:
    return {index, true, 5};
  case Landscape::noise:
    return {index, true, 1 + static_cast<double>(mix(static_cast<std::uint64_t>(index)) >> 40), 3};
  case Landscape::all_failed:
    return {index, false, 0};
  case Landscape::not_a_number:
    return {index, true, std::numeric_limits<double>::quiet_NaN()};
  case Landscape::infinite:
    return {index, true, kUnmeasured};
  case Landscape::zero:
    return {index, index % 2 == 0, 0, 0};
  case Landscape::negative:
    return {index, true, index % 3 == 0 ? -kUnmeasured : -1 - static_cast<double>(index), -5};
  case Landscape::extreme:
    return {index, true, index % 2 == 0 ? std::numeric_limits<double>::denorm_min() : kMaxDouble, kMaxDouble};
  }
  return {index, false, 0};
}

// All proposals of the strategy until it ends; each batch is observed before the next is requested.
std::vector<ConfigIndex> exhaust(const std::string& name, const SearchSpace& space, std::uint64_t seed,
                                 std::size_t batch, Landscape landscape = Landscape::rugged) {
  auto strategy = make_strategy(name, space, seed);
  EXPECT_TRUE(strategy.has_value());
  return testing::propose_all(**strategy, space, batch, [&](ConfigIndex index) { return observe(index, landscape); });
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, ProposesEachConfigurationOnceAndEnds) {
  const SearchSpace space = medium();
  for (const std::size_t batch : kBatches)
    EXPECT_EQ(static_cast<std::int64_t>(exhaust(GetParam(), space, 1, batch).size()), space.size()) << batch;
}

TEST_P(EveryStrategy, IsDeterministicBySeed) {
  const SearchSpace space = medium();
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}})
    for (const std::size_t batch : {1u, 16u})
      EXPECT_EQ(exhaust(GetParam(), space, seed, batch), exhaust(GetParam(), space, seed, batch));
}

// Also if no param has a choice, and if no step from any configuration leads to another one.
TEST_P(EveryStrategy, SmallestSpaces) {
  ASSERT_EQ(single().size(), 1);
  for (const SearchSpace& space : {single(), testing::grid(1, 1), testing::grid(4, 1), testing::grid(1, 2),
                                   testing::grid(4, 4, R"([{"expr": "A == B && B == C && C == D", "why": "w"}])")})
    for (const std::size_t batch : kBatches)
      for (const Landscape landscape : kLandscapes)
        EXPECT_EQ(static_cast<std::int64_t>(exhaust(GetParam(), space, 3, batch, landscape).size()), space.size())
            << space.size() << " " << static_cast<int>(landscape);
}

TEST_P(EveryStrategy, ASpaceThatIsKnownAlreadyIsDoneAtOnce) {
  for (const Landscape landscape : kLandscapes) {
    const SearchSpace space = testing::grid(2, 3);
    auto strategy = make_strategy(GetParam(), space, 3);
    for (ConfigIndex index = 0; index < space.size(); ++index) (*strategy)->observe(observe(index, landscape));
    EXPECT_TRUE((*strategy)->propose(5).empty()) << static_cast<int>(landscape);
  }
}

TEST_P(EveryStrategy, ExhaustsTheSpaceWhateverTheObjective) {
  const SearchSpace space = medium();
  for (const Landscape landscape : kLandscapes)
    for (const std::size_t batch : {4u, 64u})
      EXPECT_EQ(static_cast<std::int64_t>(exhaust(GetParam(), space, 5, batch, landscape).size()), space.size())
          << static_cast<int>(landscape);
}

// Results arrive in any order while others are under way: nothing twice, nothing left out, reproducible.
std::vector<ConfigIndex> exhaust_out_of_order(const std::string& name, std::uint64_t seed, Landscape landscape) {
  const SearchSpace space = medium();
  auto strategy = make_strategy(name, space, seed);
  Draws draws(seed);
  std::vector<ConfigIndex> all, under_way;
  while (true) {
    const std::vector<ConfigIndex> proposed = (*strategy)->propose(1 + draws.below(9));
    all.insert(all.end(), proposed.begin(), proposed.end());
    under_way.insert(under_way.end(), proposed.begin(), proposed.end());
    if (under_way.empty()) break;
    if (under_way.size() < 24 && !proposed.empty() && draws.chance(0.5)) continue;
    draws.shuffle(under_way);
    (*strategy)->observe(observe(under_way.back(), landscape));
    under_way.pop_back();
  }
  EXPECT_EQ(std::set<ConfigIndex>(all.begin(), all.end()).size(), all.size()) << "none twice";
  EXPECT_EQ(static_cast<std::int64_t>(all.size()), space.size());
  return all;
}

TEST_P(EveryStrategy, ObservationsComeLateAndOutOfOrder) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const Landscape landscape : {Landscape::rugged, Landscape::all_failed, Landscape::negative})
      EXPECT_EQ(exhaust_out_of_order(GetParam(), seed, landscape), exhaust_out_of_order(GetParam(), seed, landscape));
}

// Results of another strategy, or of a database: before the first proposal and later, also twice.
TEST_P(EveryStrategy, NeverProposesWhatWasObservedFromOutside) {
  const SearchSpace space = medium();
  auto strategy = make_strategy(GetParam(), space, 6);
  std::set<ConfigIndex> known;
  const auto tell = [&](ConfigIndex index) {
    known.insert(index);
    (*strategy)->observe(observe(index, Landscape::rugged));
  };
  for (ConfigIndex index = 0; index < space.size(); index += 4) tell(index);
  for (ConfigIndex index = space.size() - 1; !known.empty();) {
    const std::vector<ConfigIndex> proposed = (*strategy)->propose(3);
    if (proposed.empty()) break;
    for (const ConfigIndex own : proposed) EXPECT_FALSE(known.count(own)) << own;
    for (const ConfigIndex own : proposed) tell(own);
    while (index > 0 && known.count(index)) --index;
    tell(index);
    tell(index);
  }
  EXPECT_EQ(static_cast<std::int64_t>(known.size()), space.size());
}

TEST_P(EveryStrategy, WorksAtTheEndsOfEachOption) {
  const SearchSpace space = medium();
  const auto& all = strategies();
  const auto entry = std::find_if(all.begin(), all.end(), [](const auto& e) { return e.name == GetParam(); });
  for (const StrategyOption& option : entry->options) {
    EXPECT_FALSE(option.meaning.empty()) << option.name;
    EXPECT_TRUE(option.min <= option.default_value && option.default_value <= option.max) << option.name;
    for (const double value : {option.min, option.max}) {
      auto strategy = make_strategy(GetParam(), space, 7, {{std::string(option.name), value}});
      ASSERT_TRUE(strategy.has_value()) << strategy.error().message;
      const auto proposed = testing::propose_all(**strategy, space, 5,
                                                 [](ConfigIndex index) { return observe(index, Landscape::rugged); });
      EXPECT_EQ(static_cast<std::int64_t>(proposed.size()), space.size()) << option.name << " = " << value;
    }
    for (const double value : {option.min - 1, option.max + 1, std::nan("")})
      EXPECT_FALSE(make_strategy(GetParam(), space, 7, {{std::string(option.name), value}}).has_value());
  }
}

// A strategy with time or memory in proportion to the space would not return, or would run out of memory.
TEST_P(EveryStrategy, HugeSpaces) {
  const SearchSpace space = testing::grid(12, 10, R"([{"expr": "A * B <= 60", "why": "w"}])");
  ASSERT_GT(space.size(), 100'000'000'000);
  const auto expect_proposals = [&](std::size_t count, std::size_t batch, auto&& observe_one) {
    auto strategy = make_strategy(GetParam(), space, 8);
    const auto proposed = testing::propose_all(**strategy, space, batch, observe_one, static_cast<std::int64_t>(count));
    EXPECT_EQ(proposed.size(), count) << batch;
  };
  expect_proposals(500, 10, [&](ConfigIndex index) {
    return Observation{index, index % 5 != 0, testing::smooth_time_us(space, index)};
  });
  for (const Landscape landscape : kLandscapes)
    expect_proposals(100, 64, [&](ConfigIndex index) { return observe(index, landscape); });
}

// False prior knowledge reduces the quality of a search, but never breaks the contract.
TEST_P(EveryStrategy, WhateverIsKnownBeforehand) {
  const SearchSpace space = medium();
  const double values[] = {std::nan(""), kUnmeasured, -kUnmeasured, kMaxDouble, -kMaxDouble, 0, 1};
  const auto value_of = [&](ConfigIndex index) { return values[static_cast<std::size_t>(index) % std::size(values)]; };
  Knowledge knowledge;
  knowledge.expected_log_time = value_of;
  knowledge.expected_by_author = [](ConfigIndex index) { return index % 3 > 0; };
  for (ConfigIndex index = space.size() - 1; index >= 0; --index)
    knowledge.hints.insert(knowledge.hints.end(), 2, {index, value_of(index), value_of(index + 1)});
  for (const std::size_t batch : {1u, 16u}) {
    const auto run = [&] {
      auto strategy = make_strategy(GetParam(), space, 11, {}, knowledge);
      (*strategy)->observe(observe(space.size() - 1, Landscape::rugged)); // a hint with a known result
      return testing::propose_all(**strategy, space, batch,
                                  [](ConfigIndex index) { return observe(index, Landscape::rugged); });
    };
    const auto proposed = run();
    EXPECT_EQ(static_cast<std::int64_t>(proposed.size()), space.size() - 1) << batch;
    EXPECT_EQ(run(), proposed) << batch;
  }
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

// Code that asks for proposals ahead of the observations relies on it.
TEST_P(EveryStrategy, WhatDoesNotLearnProposesTheSameWhateverIsObserved) {
  const SearchSpace space = medium();
  if ((*make_strategy(GetParam(), space, 4))->learns()) return;
  EXPECT_EQ(exhaust(GetParam(), space, 4, 5, Landscape::rugged),
            exhaust(GetParam(), space, 4, 3, Landscape::all_failed));
}

TEST_P(EveryStrategy, ZeroAsksForNothing) {
  const SearchSpace space = medium();
  auto strategy = make_strategy(GetParam(), space, 9);
  ASSERT_TRUE(strategy.has_value());
  EXPECT_TRUE((*strategy)->propose(0).empty());
  EXPECT_EQ((*strategy)->propose(1).size(), 1u);
}

std::vector<std::string> all_names() {
  std::vector<std::string> all;
  for (const StrategyEntry& entry : strategies()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategy, ::testing::ValuesIn(all_names()),
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

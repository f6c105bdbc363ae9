// The configurations that are expected to be fast, and a search that starts there.
#include "search/best_expected.h"
#include "search/maximin.h"
#include "support/search_spaces.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using testing::grid;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// Of two neighbours, one may be fast and the other slow: only the author's estimate tells them apart.
double jagged(ConfigIndex index) {
  return 1 + static_cast<double>(mix(static_cast<std::uint64_t>(index)) >> 40) / static_cast<double>(1 << 24);
}

Knowledge by_author(std::function<double(ConfigIndex)> log_time) {
  Knowledge knowledge;
  knowledge.expected_log_time = std::move(log_time);
  knowledge.expected_by_author = [](ConfigIndex) { return true; };
  return knowledge;
}

std::vector<ConfigIndex> best_of(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                 std::uint64_t seed = 0) {
  Draws draws(seed);
  return best_expected(space, knowledge, count, draws);
}

TEST(BestExpected, TheFastestFirstAndEachOnce) {
  const SearchSpace space = grid(1, 6);
  const Knowledge knowledge =
      by_author([](ConfigIndex i) { return std::vector{5.0, 2.0, 4.0, 1.0, 6.0, 3.0}[static_cast<std::size_t>(i)]; });
  EXPECT_THAT(best_of(space, knowledge, 3), ElementsAre(3, 1, 5));
  EXPECT_THAT(best_of(space, knowledge, 50), ElementsAre(3, 1, 5, 2, 0, 4));
  EXPECT_THAT(best_of(space, knowledge, 0), IsEmpty());
}

TEST(BestExpected, WhatIsNotANumberIsLeftOut) {
  const Knowledge knowledge = by_author([](ConfigIndex i) {
    return std::vector{kNan, 2.0, -kInfinity, 1.0, kInfinity, 3.0}[static_cast<std::size_t>(i)];
  });
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 6), ElementsAre(3, 1, 5));
}

// A roofline promises shorter times than an author's estimate, so its configurations would fill the list.
TEST(BestExpected, TheRooflineCountsOnlyWithoutAnAuthorsEstimate) {
  Knowledge knowledge;
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 3), IsEmpty());
  knowledge.expected_log_time = [](ConfigIndex i) { return static_cast<double>(i); };
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 3), ElementsAre(0, 1, 2));
  knowledge.expected_by_author = [](ConfigIndex) { return false; };
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 3), ElementsAre(0, 1, 2));
  knowledge.expected_by_author = [](ConfigIndex i) { return i % 2 == 1; };
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 5), ElementsAre(1, 3, 5));
  knowledge.expected_log_time = nullptr;
  EXPECT_THAT(best_of(grid(1, 6), knowledge, 5), IsEmpty());
}

// Up to a limit, every configuration is considered, so the result is not random.
TEST(BestExpected, OfASpaceOfThousandsTheBestOfAll) {
  const SearchSpace space = grid(4, 11); // 14,641
  std::int64_t asked = 0;
  const Knowledge knowledge = by_author([&](ConfigIndex i) { return ++asked, jagged(i); });
  Draws draws(3), untouched(3);
  const auto best = best_expected(space, knowledge, 5, draws);
  EXPECT_EQ(asked, space.size());
  EXPECT_EQ(draws.below(1000), untouched.below(1000));
  ConfigIndex fastest = 0;
  for (ConfigIndex i = 0; i < space.size(); ++i) fastest = jagged(i) < jagged(fastest) ? i : fastest;
  ASSERT_EQ(best.size(), 5U);
  EXPECT_EQ(best.front(), fastest);
}

TEST(BestExpected, OfALargeSpaceASampleOfAllOfIt) {
  const SearchSpace large = grid(4, 12); // 20,736: above the limit, so a sample is drawn, with repeats
  std::int64_t asked = 0;
  const auto all = best_of(large, by_author([&](ConfigIndex i) { return ++asked, jagged(i); }), 100'000);
  EXPECT_LE(asked, 20'000);
  EXPECT_EQ(std::set<ConfigIndex>(all.begin(), all.end()).size(), all.size());
  EXPECT_GT(all.size(), 10'000U);
  EXPECT_GT(*std::max_element(all.begin(), all.end()), 20'000) << "not the first ones of it";
  const SearchSpace huge = grid(12, 10);
  const Knowledge knowledge = by_author(jagged);
  const auto best = best_of(huge, knowledge, 10, 1);
  EXPECT_EQ(best.size(), 10U);
  EXPECT_TRUE(std::is_sorted(best.begin(), best.end(), [](auto a, auto b) { return jagged(a) < jagged(b); }));
  EXPECT_LT(jagged(best.back()), 1.01) << "of 20,000, ten are among the first hundredth";
  EXPECT_EQ(best_of(huge, knowledge, 10, 1), best);
  EXPECT_NE(best_of(huge, knowledge, 10, 2), best);
}

TEST(Spread, TheFirstThenTheFarthest) {
  const SearchSpace space = grid(2, 9);
  const auto at = [&](std::int64_t a, std::int64_t b) { return *space.find({a, b}); };
  const Features features(space, no_knowledge());
  const std::vector<ConfigIndex> given = {at(2, 2), at(2, 3), at(3, 2), at(9, 9), at(8, 9), at(9, 2)};
  EXPECT_THAT(spread(given, features, 3), ElementsAre(at(2, 2), at(9, 9), at(9, 2)));
  EXPECT_THAT(spread(given, features, 1), ElementsAre(at(2, 2)));
  EXPECT_THAT(spread(given, features, 0), IsEmpty());
  EXPECT_THAT(spread({}, features, 3), IsEmpty());
  EXPECT_THAT(spread({at(5, 5), at(5, 5), at(1, 1)}, features, 3), ElementsAre(at(5, 5), at(1, 1)));
  EXPECT_EQ(spread(given, features, 50).size(), given.size());
  const SearchSpace one = grid(2, 1);
  EXPECT_THAT(spread({0, 0}, Features(one, no_knowledge()), 3), ElementsAre(0)) << "no param has a choice";
}

// The expected times do not affect the distances.
TEST(Spread, TheDistanceIsThatOfTheParams) {
  const SearchSpace space = grid(1, 9);
  const Knowledge knowledge = by_author([](ConfigIndex i) { return i == 1 ? 100.0 : 1.0; });
  EXPECT_THAT(spread({0, 1, 2, 3}, Features(space, knowledge), 2), ElementsAre(0, 3));
}

std::vector<ConfigIndex> first_of(const SearchSpace& space, const Knowledge& knowledge, std::size_t count) {
  return (*make_strategy("surrogate", space, 1, {}, knowledge))->propose(count);
}

// The start uses the author's 78 best of 3125 configurations for one half; the other half is spread over the space.
TEST(SurrogateStart, HalfOfItIsWhatTheAuthorExpectsSpreadOut) {
  const SearchSpace space = grid(5, 5);
  Knowledge knowledge = by_author(jagged);
  const auto start = first_of(space, knowledge, 8);
  ASSERT_EQ(start.size(), 8U);
  const auto best = best_of(space, knowledge, 78);
  const Features features(space, knowledge);
  EXPECT_EQ(std::vector(start.begin(), start.begin() + 4), spread(best, features, 4));
  ASSERT_NE(spread(best_of(space, knowledge, 200), features, 4), spread(best, features, 4)) << "the test is sharp";
  EXPECT_EQ(start.front(), best.front());
  knowledge.expected_log_time = nullptr;
  auto others = first_of(space, knowledge, 8); // except those that were tried already
  std::erase_if(others,
                [&](ConfigIndex i) { return std::find(start.begin(), start.begin() + 4, i) < start.begin() + 4; });
  ASSERT_GE(others.size(), 4U);
  EXPECT_EQ(std::vector(start.begin() + 4, start.end()), std::vector(others.begin(), others.begin() + 4));
  EXPECT_NE(first_of(space, knowledge, 1).front(), best.front());
}

TEST(SurrogateStart, OfASmallSpaceSixteenAreGoodEnough) {
  const SearchSpace space = grid(2, 10);
  const Knowledge knowledge = by_author(jagged);
  const auto start = first_of(space, knowledge, 4);
  EXPECT_EQ(start, spread(best_of(space, knowledge, 16), Features(space, knowledge), 4));
}

TEST(SurrogateStart, HintsGoFirstAndNothingIsProposedTwice) {
  const SearchSpace space = grid(4, 8);
  Knowledge knowledge = by_author(jagged);
  const auto expected = first_of(space, knowledge, 4);
  knowledge.hints = {{17, 1, 1}, {expected[0], 1.1, 1}, {4000, 1.2, 0.5}};
  const auto start = first_of(space, knowledge, 8);
  ASSERT_EQ(start.size(), 8U);
  EXPECT_EQ(std::vector(start.begin(), start.begin() + 6),
            (std::vector<ConfigIndex>{17, expected[0], 4000, expected[1], expected[2], expected[3]}));
  EXPECT_EQ(std::set<ConfigIndex>(start.begin(), start.end()).size(), start.size());
}

// The model considers the author's best, wherever they are: neighbours of the fast ones and draws from 262,144 would
// hardly ever include one.
TEST(SurrogateStart, TheBestExpectedAreAlwaysCandidates) {
  const SearchSpace space = grid(6, 8);
  const Knowledge knowledge = by_author(jagged);
  Draws draws(1, 1);
  const auto best = best_expected(space, knowledge, 200, draws); // a sample, drawn as the strategy draws it
  const std::set<ConfigIndex> good(best.begin(), best.end());
  auto strategy = make_strategy("surrogate", space, 1, {}, knowledge);
  int of_good = 0;
  for (const ConfigIndex index : testing::propose_all(
           **strategy, space, 4,
           [](ConfigIndex i) {
             return Observation{i, true, std::exp(jagged(i))};
           },
           60))
    of_good += good.count(index) > 0 ? 1 : 0;
  EXPECT_GE(of_good, 30);
}

// With candidates in flight there are proposals before any result. More corners would tell nothing that the first do
// not.
TEST(SurrogateStart, WithoutResultsItGoesOnWithWhatTheAuthorExpects) {
  const SearchSpace space = grid(5, 5);
  const Knowledge knowledge = by_author(jagged);
  const auto start = first_of(space, knowledge, 16);
  ASSERT_EQ(start.size(), 16U);
  auto expected = spread(best_of(space, knowledge, 78), Features(space, knowledge), 16);
  std::erase_if(expected,
                [&](ConfigIndex i) { return std::find(start.begin(), start.begin() + 8, i) < start.begin() + 8; });
  ASSERT_GE(expected.size(), 8U);
  EXPECT_EQ(std::vector(start.begin() + 8, start.end()), std::vector(expected.begin(), expected.begin() + 8));
}

// The log times that a search of 60 evaluations finds, in the order of its proposals; infinity: failed.
std::vector<double> found(const SearchSpace& space, const Knowledge& knowledge,
                          const std::function<double(ConfigIndex)>& log_time) {
  auto strategy = make_strategy("surrogate", space, 1, {}, knowledge);
  std::vector<double> log_times;
  for (const ConfigIndex index : testing::propose_all(
           **strategy, space, 4,
           [&](ConfigIndex i) {
             return Observation{i, std::isfinite(log_time(i)), std::exp(log_time(i))};
           },
           60))
    log_times.push_back(log_time(index));
  return log_times;
}

std::int64_t first_param(const SearchSpace& space, ConfigIndex index) { return space.config(index).front(); }

// The model describes what the estimates miss, here a factor that one param has. It finds what is fast by both.
TEST(SurrogateModel, CorrectsTheAuthorsEstimates) {
  const SearchSpace space = grid(4, 8);
  const auto log_time = [&](ConfigIndex i) { return jagged(i) + 0.15 * static_cast<double>(first_param(space, i)); };
  std::vector<double> all;
  for (ConfigIndex i = 0; i < space.size(); ++i) all.push_back(log_time(i));
  std::sort(all.begin(), all.end());
  const auto times = found(space, by_author(jagged), log_time);
  const auto good = [&](double t) { return t <= all[all.size() / 50]; };
  EXPECT_GE(std::count_if(times.end() - 30, times.end(), good), 20);
}

// An estimate says nothing of configurations that have none: their own results do. They are tried, although the
// estimates of all others are too long or too short, and those that are no better are left.
TEST(SurrogateModel, WhatHasNoEstimateCompetesByItsOwnResults) {
  const SearchSpace space = grid(4, 8);
  const std::int64_t last = first_param(space, space.size() - 1);
  const auto has_none = [&](ConfigIndex i) { return first_param(space, i) == last; };
  for (const double error : {-4.0, 0.0, 4.0}) {
    Knowledge knowledge = by_author([=](ConfigIndex i) { return 5 + error + jagged(i); });
    knowledge.expected_by_author = [=](ConfigIndex i) { return !has_none(i); };
    for (const double gain : {0.7, -0.7}) {
      const auto times =
          found(space, knowledge, [=](ConfigIndex i) { return 5 + jagged(i) - (has_none(i) ? gain : 0); });
      const auto faster = std::count_if(times.end() - 30, times.end(), [](double t) { return t < 6; });
      EXPECT_TRUE(gain > 0 ? faster >= 20 : faster == 0) << error << ' ' << gain << ' ' << faster;
      const auto slower = std::count_if(times.end() - 30, times.end(), [](double t) { return t > 6.7; });
      EXPECT_LE(slower, 5) << error << ' ' << gain;
    }
  }
}

// A failure is slow, however short its estimate.
TEST(SurrogateModel, AvoidsFailuresThatTheEstimatesRecommend) {
  const SearchSpace space = grid(4, 8);
  const auto fails = [&](ConfigIndex i) { return first_param(space, i) <= 4; };
  const auto times = found(space, by_author([&](ConfigIndex i) { return jagged(i) - (fails(i) ? 1 : 0); }),
                           [&](ConfigIndex i) { return fails(i) ? kInfinity : jagged(i); });
  EXPECT_LE(std::count(times.end() - 30, times.end(), kInfinity), 15);
}

} // namespace
} // namespace warptune

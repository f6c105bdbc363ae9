// A start that is spread over the space.
#include "search/maximin.h"
#include "support/search_spaces.h"

#include <limits>
#include <numeric>
#include <set>

namespace warptune {
namespace {

using testing::grid;

std::vector<ConfigIndex> maximin_start_of(const SearchSpace& space, std::size_t count, std::uint64_t seed = 0) {
  Draws draws(seed);
  return maximin_start(space, Features(space, no_knowledge()), count, draws);
}

TEST(MaximinStart, BeginsInTheMiddle) {
  const SearchSpace space = grid(3, 9);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ConfigIndex first = maximin_start_of(space, 1, seed).at(0);
    for (const std::int64_t value : space.config(first)) {
      EXPECT_GE(value, 2) << "of 1 to 9";
      EXPECT_LE(value, 7) << "of 1 to 9";
    }
  }
}

TEST(MaximinStart, GoesToTheEdgesThen) {
  const SearchSpace space = grid(2, 9);
  const auto start = maximin_start_of(space, 5);
  ASSERT_EQ(start.size(), 5U);
  for (std::size_t i = 1; i < start.size(); ++i)
    for (const std::int64_t value : space.config(start[i])) EXPECT_TRUE(value == 1 || value == 9) << i << ": " << value;
}

TEST(MaximinStart, IsDifferentAndEndsWithTheSpace) {
  const SearchSpace space = grid(2, 3);
  const auto all = maximin_start_of(space, 50);
  EXPECT_EQ(std::set<ConfigIndex>(all.begin(), all.end()).size(), all.size());
  EXPECT_EQ(all.size(), 9U);
}

TEST(MaximinStart, WithoutAChoiceThereIsOneConfiguration) {
  EXPECT_EQ(maximin_start_of(grid(2, 1), 5), std::vector<ConfigIndex>{0});
}

// A uniform sample of 600 of these 8,005 configurations contains on average 0.4 of the five with the second category.
TEST(MaximinStart, IncludesARareCategory) {
  constexpr double kCategory = std::numeric_limits<double>::quiet_NaN();
  std::vector<Positions> valid;
  for (std::int32_t i = 0; i < 8000; ++i) valid.push_back({0, i / 400, i / 20 % 20, i % 20});
  for (std::int32_t i = 0; i < 5; ++i) valid.push_back({1, i, 0, 0});
  std::vector<std::int64_t> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 1);
  const std::vector<double> coordinates(numbers.begin(), numbers.end());
  const SearchSpace space = SearchSpace::from_list(
      {{0, 1}, numbers, numbers, numbers}, {{kCategory, kCategory}, coordinates, coordinates, coordinates}, valid);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto start = maximin_start_of(space, 4, seed);
    EXPECT_TRUE(std::any_of(start.begin(), start.end(), [&](ConfigIndex i) { return space.config(i)[0] == 1; }))
        << seed;
  }
}

} // namespace
} // namespace warptune

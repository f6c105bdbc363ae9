// A start that is spread over the space.
#include "search/maximin.h"
#include "support/search_spaces.h"

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

} // namespace
} // namespace warptune

// Its parts share results. If nothing succeeds, the model has no information and draws at random, so proposals next to
// a known configuration come from a part that walks.
#include "support/search_spaces.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::int64_t kProposals = 300;

bool are_neighbours(const Config& a, const Config& b) {
  int differences = 0;
  for (std::size_t p = 0; p < a.size(); ++p) differences += a[p] != b[p] ? 1 : 0;
  return differences == 1;
}

// The number of proposals next to an earlier one or to one in `told`.
int count_steps(const std::vector<Config>& told) {
  const SearchSpace space = testing::grid(8, 8); // 16.8 million: one random draw in a thousand is next to one of 300
  const auto portfolio = *make_strategy("portfolio", space, 1);
  std::vector<Config> known = told;
  for (const Config& config : told) portfolio->observe({*space.find(config), false, 0});
  int steps = 0;
  testing::propose_all(
      *portfolio, space, 1,
      [&](ConfigIndex index) {
        const Config config = space.config(index);
        steps += std::any_of(known.begin(), known.end(), [&](const Config& k) { return are_neighbours(k, config); });
        known.push_back(config);
        return Observation{index, false, 0};
      },
      kProposals);
  return steps;
}

// A walk that never receives its own results stays at its first configurations.
TEST(Portfolio, EveryPartHearsOfItsOwnResults) { EXPECT_GE(count_steps({}), 8); }

// Ten known results replace ten starts of its own, so the parts walk from the first proposal.
TEST(Portfolio, EveryPartHearsOfTheResultsOfOthers) {
  std::vector<Config> told;
  for (std::int64_t i = 1; i <= 10; ++i) told.push_back({1 + i % 8, 2, 3, 1 + i / 8, 5, 6, 7, 8});
  EXPECT_GE(count_steps(told), count_steps({}) + 8);
}

} // namespace
} // namespace warptune

// The smallest covering set: compared with every subset, and beyond the size that can be searched.
#include "pack/cover.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CoverProblem problem_of(std::size_t configs, std::vector<std::vector<std::size_t>> covered_by,
                        std::vector<std::size_t> given = {}) {
  return {configs, std::move(covered_by), std::vector<double>(configs, 0), std::move(given)};
}

bool covers(const CoverProblem& problem, const std::vector<std::size_t>& configs) {
  return std::all_of(problem.covered_by.begin(), problem.covered_by.end(), [&](const std::vector<std::size_t>& by) {
    return by.empty() || std::any_of(by.begin(), by.end(), [&](std::size_t c) {
             return std::find(configs.begin(), configs.end(), c) != configs.end();
           });
  });
}

// Size of the smallest of all subsets that contain the given configurations.
std::size_t smallest(const CoverProblem& problem) {
  std::size_t fewest = problem.configs;
  for (std::size_t bits = 0; bits < std::size_t{1} << problem.configs; ++bits) {
    std::vector<std::size_t> subset;
    for (std::size_t c = 0; c < problem.configs; ++c)
      if ((bits >> c & 1) != 0) subset.push_back(c);
    const bool has_given = std::includes(subset.begin(), subset.end(), problem.given.begin(), problem.given.end());
    if (has_given && covers(problem, subset)) fewest = std::min(fewest, subset.size());
  }
  return fewest;
}

TEST(Cover, IsTheSmallestThereIs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t configs = 1 + random() % 10, shapes = random() % 12;
    CoverProblem problem = problem_of(configs, std::vector<std::vector<std::size_t>>(shapes), {random() % configs});
    for (auto& by : problem.covered_by)
      for (std::size_t c = 0; c < configs; ++c)
        if (random() % 4 == 0) by.push_back(c);
    const Cover cover = find_cover(problem);
    EXPECT_TRUE(cover.is_exact);
    EXPECT_TRUE(covers(problem, cover.configs));
    EXPECT_EQ(cover.configs.size(), smallest(problem)) << "round " << round;
  }
}

TEST(Cover, GreedyTakesMoreWhereExactDoesNot) {
  // Config 0 covers most, but then two more are needed; 1 and 2 are enough without it.
  const CoverProblem problem = problem_of(3, {{1}, {0, 1}, {0, 1}, {0, 2}, {0, 2}, {2}});
  EXPECT_THAT(find_cover(problem).configs, ElementsAre(1, 2));
  const Cover greedy = find_cover(problem, 1);
  EXPECT_FALSE(greedy.is_exact);
  EXPECT_THAT(greedy.configs, ElementsAre(0, 1, 2));
}

TEST(Cover, OfEqualSizesTheCheaper) {
  CoverProblem problem = problem_of(2, {{0, 1}, {0, 1}});
  problem.cost = {0.02, 0.01};
  EXPECT_THAT(find_cover(problem).configs, ElementsAre(1));
}

TEST(Cover, OfEqualSizesTheCheaperWhereGreedyTakesTheOther) {
  CoverProblem problem = problem_of(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  problem.cost = {0.05, 0.05, 0.04, 0.10};
  EXPECT_THAT(find_cover(problem).configs, ElementsAre(0, 1));
}

TEST(Cover, TheGivenAreInAndWhatNothingCoversIsLeft) {
  EXPECT_THAT(find_cover(problem_of(3, {{}, {1, 2}}, {2})).configs, ElementsAre(2));
  EXPECT_THAT(find_cover(problem_of(0, {})).configs, IsEmpty());
}

} // namespace
} // namespace warptune

#include "search/draws.h"
#include "search/pareto.h"

#include <gmock/gmock.h>
#include <limits>

namespace warptune {
namespace {

using ::testing::ElementsAre;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Pareto, DominationNeedsOneBetterAndNoneWorse) {
  EXPECT_TRUE(dominates({1, 2}, {1, 3}));
  EXPECT_TRUE(dominates({1, 2}, {kInf, kInf}));
  EXPECT_FALSE(dominates({1, 2}, {1, 2}));
  EXPECT_FALSE(dominates({1, 4}, {2, 3}));
  EXPECT_FALSE(dominates({kInf, kInf}, {kInf, kInf}));
}

TEST(Pareto, Fronts) {
  const std::vector<Objectives> points = {{3, 3}, {1, 4}, {2, 2}, {4, 1}, {5, 5}, {2, 2}, {kInf, kInf}};
  const auto fronts = non_dominated_sort(points);
  ASSERT_EQ(fronts.size(), 4u);
  EXPECT_THAT(fronts[0], ElementsAre(1, 2, 5, 3));
  EXPECT_THAT(fronts[1], ElementsAre(0));
  EXPECT_THAT(fronts[2], ElementsAre(4));
  EXPECT_THAT(fronts[3], ElementsAre(6));
  EXPECT_TRUE(non_dominated_sort({}).empty());
}

// As defined: repeatedly remove all points that no remaining point dominates.
TEST(Pareto, FrontsAsDefined) {
  Draws draws(1);
  for (const std::size_t objectives : {1u, 2u, 3u}) {
    std::vector<Objectives> points(60);
    for (Objectives& point : points)
      for (std::size_t m = 0; m < objectives; ++m) point.push_back(static_cast<double>(draws.below(8)));
    std::vector<std::size_t> left(points.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    for (const auto& front : non_dominated_sort(points)) {
      std::vector<std::size_t> expected, rest;
      for (const std::size_t i : left) {
        bool beaten = false;
        for (const std::size_t j : left) beaten = beaten || dominates(points[j], points[i]);
        (beaten ? rest : expected).push_back(i);
      }
      EXPECT_THAT(front, ::testing::UnorderedElementsAreArray(expected));
      left = rest;
    }
    EXPECT_TRUE(left.empty());
  }
}

TEST(Pareto, CrowdingIsThePerimeterBetweenNeighbours) {
  const std::vector<Objectives> points = {{0, 10}, {1, 6}, {4, 5}, {10, 0}};
  EXPECT_THAT(crowding_distance(points, {2, 0, 1, 3}), ElementsAre(0.9 + 0.6, kInf, 0.4 + 0.5, kInf));
  EXPECT_THAT(crowding_distance(points, {1}), ElementsAre(0));
  const std::vector<Objectives> alike = {{kInf, kInf}, {kInf, kInf}};
  EXPECT_THAT(crowding_distance(alike, {0, 1}), ElementsAre(0, 0));
}

} // namespace
} // namespace warptune

#include "search/latin_hypercube.h"
#include "search/moves.h"
#include "support/search_spaces.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::grid;
using ::testing::UnorderedElementsAre;
using Kind = SearchSpace::Neighbours;

// Two params: one listed out of order, one without an order.
SearchSpace mixed() {
  std::vector<Positions> all;
  for (std::int32_t a = 0; a < 4; ++a)
    for (std::int32_t b = 0; b < 3; ++b) all.push_back({a, b});
  const double none = std::nan("");
  return SearchSpace::from_list({{8, 1, 4, 2}, {0, 1, 2}}, {{8, 1, 4, 2}, {none, none, none}}, all);
}

std::vector<Config> configs(const SearchSpace& space, const std::vector<ConfigIndex>& indices) {
  std::vector<Config> out;
  for (const ConfigIndex index : indices) out.push_back(space.config(index));
  return out;
}

TEST(Axes, RanksFollowTheCoordinates) {
  const SearchSpace space = mixed();
  const Axes axes(space);
  EXPECT_TRUE(axes.ordered(0));
  EXPECT_FALSE(axes.ordered(1));
  for (const auto& [position, rank] : {std::pair{0, 3}, std::pair{1, 0}, std::pair{2, 2}, std::pair{3, 1}}) {
    EXPECT_EQ(axes.rank(0, position), rank);
    EXPECT_EQ(axes.position(0, rank), position);
  }
}

TEST(Axes, RoundsToEitherSideInProportion) {
  const SearchSpace space = grid(1, 10);
  const Axes axes(space);
  Draws draws(1);
  int up = 0;
  for (int i = 0; i < 1000; ++i) up += axes.round(0, 3.25, draws) == 4 ? 1 : 0;
  EXPECT_NEAR(up, 250, 50);
  EXPECT_EQ(axes.round(0, -7, draws), 0);
  EXPECT_EQ(axes.round(0, 70, draws), 9);
}

TEST(Moves, AdjacentGoesByOrderAndToAnyCategory) {
  const SearchSpace space = mixed();
  Draws draws(1);
  Moves moves(space, draws);
  std::vector<ConfigIndex> out;
  moves.neighbours(*space.find({4, 1}), Kind::adjacent, out);
  EXPECT_THAT(configs(space, out), UnorderedElementsAre(Config{2, 1}, Config{8, 1}, Config{4, 0}, Config{4, 2}));
  moves.neighbours(*space.find({4, 1}), Kind::hamming, out);
  EXPECT_THAT(configs(space, out),
              UnorderedElementsAre(Config{1, 1}, Config{2, 1}, Config{8, 1}, Config{4, 0}, Config{4, 2}));
}

TEST(Moves, AdjacentSkipsWhatIsNotValid) {
  const SearchSpace space = grid(2, 6, R"([{"expr": "A != 3 && A != 4", "why": "w"}])");
  Draws draws(1);
  Moves moves(space, draws);
  std::vector<ConfigIndex> out;
  moves.neighbours(*space.find({2, 1}), Kind::adjacent, out);
  EXPECT_THAT(configs(space, out), UnorderedElementsAre(Config{1, 1}, Config{5, 1}, Config{2, 2}));
}

TEST(Moves, RepairTakesWhatStaysValid) {
  const SearchSpace space = grid(3, 8, R"([{"expr": "A * B <= 8", "why": "w"}])");
  Draws draws(1);
  Moves moves(space, draws);
  const ConfigIndex from = *space.find({8, 1, 1});
  // Valid at once; reached only by lowering A before B is raised; and never valid.
  EXPECT_EQ(space.config(moves.toward(from, {0, 7, 4})), (Config{1, 8, 5}));
  EXPECT_EQ(space.config(moves.toward(from, {1, 3, 4})), (Config{2, 4, 5}));
  for (int i = 0; i < 20; ++i) {
    const Config found = space.config(moves.toward(from, {7, 7, 6}));
    EXPECT_EQ(found, (Config{8, 1, 7}));
  }
}

TEST(Moves, JumpsAndMutationsChangeSomething) {
  const SearchSpace space = grid(4, 5, R"([{"expr": "A + B <= 7", "why": "w"}])");
  Draws draws(1);
  Moves moves(space, draws);
  for (ConfigIndex index = 0; index < space.size(); index += 7) {
    EXPECT_NE(moves.neighbour(index, Kind::adjacent), index);
    EXPECT_NE(moves.jump(index, 1), index);
  }
  for (std::int32_t position = 0; position < 5; ++position)
    for (int i = 0; i < 20; ++i) {
      const std::int32_t mutated = moves.mutate(0, position);
      EXPECT_TRUE(mutated != position && mutated >= 0 && mutated < 5) << mutated;
    }
  const SearchSpace one = testing::single();
  EXPECT_EQ(Moves(one, draws).neighbour(0, Kind::hamming), 0);
}

TEST(Moves, OfAVeryLongParamASample) {
  std::vector<std::int64_t> values;
  std::vector<Positions> all;
  for (std::int32_t v = 0; v < 1000; ++v) {
    values.push_back(v);
    all.push_back({v});
  }
  const SearchSpace space = SearchSpace::from_list({values}, {}, all);
  Draws draws(1);
  Moves moves(space, draws);
  std::vector<ConfigIndex> out;
  moves.neighbours(500, Kind::hamming, out);
  const std::set<ConfigIndex> distinct(out.begin(), out.end());
  EXPECT_EQ(distinct.size(), out.size());
  EXPECT_TRUE(out.size() == 63 || out.size() == 64) << out.size();
  EXPECT_EQ(distinct.count(500), 0u);
}

// Without constraints every value of a block comes equally often.
TEST(LatinHypercube, BlocksAreEven) {
  const SearchSpace space = grid(5, 8);
  Archive archive(space, 1);
  Draws draws(1);
  Moves moves(space, draws);
  LatinHypercube samples(space, archive, moves, draws, 16);
  for (int block = 0; block < 3; ++block) {
    std::vector<std::vector<int>> counts(5, std::vector<int>(8));
    for (int i = 0; i < 16; ++i) {
      const ConfigIndex index = *samples.next();
      archive.propose(index);
      const Positions at = moves.positions(index);
      for (std::size_t p = 0; p < at.size(); ++p) ++counts[p][static_cast<std::size_t>(at[p])];
    }
    for (const auto& of_param : counts) EXPECT_THAT(of_param, ::testing::Each(2));
  }
}

} // namespace
} // namespace warptune

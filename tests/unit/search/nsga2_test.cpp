// NSGA-II searches for trade-offs of time and energy: it finds more of them than a search for time only.
#include "search/pareto.h"
#include "support/search_spaces.h"

namespace warptune {
namespace {

// The first params reduce the time and raise the energy; the others raise both.
Observation trade_off(const SearchSpace& space, ConfigIndex index) {
  const Config config = space.config(index);
  double waste = 1;
  for (std::size_t p = 2; p < config.size(); ++p) waste += 0.2 * std::abs(static_cast<double>(config[p] - 3));
  const auto speed = static_cast<double>(config[0] * config[1]);
  return {index, true, waste * 1000 / speed, waste * speed};
}

// The area that the found points dominate below (1, 1), in logarithms relative to the ends of the front.
double hypervolume(const std::string& name, const SearchSpace& space, std::uint64_t seed, const OptionValues& options) {
  std::vector<Objectives> points;
  auto strategy = make_strategy(name, space, seed, options);
  testing::propose_all(
      **strategy, space, 1,
      [&](ConfigIndex index) {
        const Observation seen = trade_off(space, index);
        points.push_back({std::log(seen.time_us / 10), std::log(seen.energy_mj)});
        return seen;
      },
      200);
  const double most = std::log(400.0);
  double area = 0, above = most;
  const auto fronts = non_dominated_sort(points);
  for (const std::size_t i : fronts[0]) { // sorted by time
    area += std::max(0.0, most - points[i][0]) * std::max(0.0, above - points[i][1]);
    above = std::min(above, points[i][1]);
  }
  return area;
}

double mean_hypervolume(const std::string& name, const SearchSpace& space, const OptionValues& options = {}) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) sum += hypervolume(name, space, seed, options);
  return sum / 10;
}

TEST(Nsga2, FindsMoreOfTheTradeOffThanASearchForTime) {
  const SearchSpace space = testing::grid(6, 10);
  const double nsga2 = mean_hypervolume("nsga2", space);
  EXPECT_GT(nsga2, 1.05 * mean_hypervolume("genetic", space));
  EXPECT_GT(nsga2, 1.05 * mean_hypervolume("random", space));
  EXPECT_GT(nsga2, mean_hypervolume("nsga2", space, {{"crowding", 0}}));
}

} // namespace
} // namespace warptune

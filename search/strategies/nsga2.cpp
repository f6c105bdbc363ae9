// NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002) on time and energy: selects parents and survivors by front, then by
// crowding distance. Without energies it is a genetic algorithm on time. Children join the pool as their results
// arrive; when the pool holds two populations, the fitter half survives.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/pareto.h"
#include "search/population.h"
#include "search/strategy_table.h"

#include <cmath>
#include <numeric>

namespace warptune {
namespace {

class Nsga2 {
 public:
  Nsga2(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 9),
        moves_(setup.space, draws_), breeding_{setup.options.at("crossover"), setup.options.at("mutation")},
        crowding_(setup.options.at("crowding") != 0),
        population_(static_cast<std::size_t>(setup.options.at("population"))),
        start_(setup.space, archive, moves_, draws_, population_) {}

  std::optional<ConfigIndex> next() {
    if (started_ < population_ && archive_.observed() < population_) {
      ++started_;
      return start_.next();
    }
    if (parents_ == 0) return std::nullopt;
    return breed(archive_, moves_, draws_, breeding_, [this] { return parent(); });
  }

  void learn(const Observation& observation) {
    const bool measured = std::isfinite(observation.energy_mj) && observation.energy_mj > 0;
    pool_.push_back({observation.index, log_time(observation), measured ? std::log(observation.energy_mj) : kUnknown});
    if (pool_.size() == population_ || pool_.size() >= 2 * population_) select();
  }

 private:
  struct Member {
    ConfigIndex index;
    double log_time, log_energy;
  };
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  // The pool is in the order of the last selection: the earlier of two is the fitter.
  ConfigIndex parent() {
    const std::size_t a = draws_.below(parents_), b = draws_.below(parents_);
    return pool_[std::min(a, b)].index;
  }

  void select() {
    std::vector<Objectives> points;
    for (const Member& member : pool_) {
      const bool failed = std::isinf(member.log_time);
      points.push_back({member.log_time, failed ? kUnknown : member.log_energy});
    }
    std::vector<Member> ordered;
    for (const std::vector<std::size_t>& front : non_dominated_sort(points)) {
      const std::vector<double> distance = crowding_distance(points, front);
      std::vector<std::size_t> order(front.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      if (crowding_)
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance[a] > distance[b]; });
      for (const std::size_t i : order) ordered.push_back(pool_[front[i]]);
    }
    pool_ = std::move(ordered);
    if (pool_.size() > population_) pool_.resize(population_);
    parents_ = pool_.size();
  }

  Archive& archive_;
  Draws draws_;
  Moves moves_;
  Breeding breeding_;
  bool crowding_;
  std::size_t population_, started_ = 0;
  std::size_t parents_ = 0; // selected members at the front of the pool; children follow
  std::vector<Member> pool_;
  LatinHypercube start_;
};

} // namespace

WT_STRATEGY(nsga2) {
  return {
      "nsga2",
      "NSGA-II: minimises time and energy together; without measured energies, only time",
      {{"population", "configurations that may become parents", 20, 2, 1000, true},
       {"crossover", "probability that a child has two parents", 0.9, 0, 1},
       {"mutation", "average number of params that a child changes", 1, 0, 100},
       {"crowding", "which members of a Pareto front survive; 1: the most isolated; 0: the fastest", 1, 0, 1, true}},
      ask_tell<Nsga2>};
}

} // namespace warptune

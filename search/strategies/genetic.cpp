// A steady-state genetic algorithm (Holland 1975; Syswerda 1991). Each child competes at once, so that any number of
// children may be in flight.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/population.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class Genetic {
 public:
  Genetic(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 1),
        moves_(setup.space, draws_), breeding_{setup.options.at("crossover"), setup.options.at("mutation")},
        capacity_(static_cast<std::size_t>(setup.options.at("population"))),
        tournament_(static_cast<std::size_t>(setup.options.at("tournament"))),
        start_(setup.space, archive, moves_, draws_, capacity_) {}

  std::optional<ConfigIndex> next() {
    if (started_ < capacity_ && archive_.observed() < capacity_) {
      ++started_;
      return start_.next();
    }
    if (population_.size() < 2) return std::nullopt;
    return breed(archive_, moves_, draws_, breeding_, [this] { return parent(); });
  }

  void learn(const Observation& observation) {
    const Scored member{observation.index, log_time(observation)};
    if (population_.size() < capacity_) {
      population_.push_back(member);
      return;
    }
    const auto worst = std::max_element(population_.begin(), population_.end(), faster);
    if (member.log_time < worst->log_time) *worst = member;
  }

 private:
  ConfigIndex parent() {
    const Scored* best = &draws_.pick(population_);
    for (std::size_t i = 1; i < tournament_; ++i)
      if (const Scored& other = draws_.pick(population_); other.log_time < best->log_time) best = &other;
    return best->index;
  }

  Archive& archive_;
  Draws draws_;
  Moves moves_;
  Breeding breeding_;
  std::size_t capacity_, tournament_, started_ = 0;
  std::vector<Scored> population_;
  LatinHypercube start_;
};

} // namespace

WT_STRATEGY(genetic) {
  return {"genetic",
          "crosses and mutates a population of configurations",
          {{"population", "configurations that may become parents", 20, 2, 1000, true},
           {"tournament", "candidates drawn for each parent; the fastest becomes the parent", 4, 1, 100, true},
           {"crossover", "probability that a child has two parents", 0.9, 0, 1},
           {"mutation", "average number of params that a child changes", 1, 0, 100}},
          ask_tell<Genetic>};
}

} // namespace warptune

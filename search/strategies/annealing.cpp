// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) on the logarithm of time. It starts with a few configurations
// spread over the space; when it is frozen, it reheats and continues from the best. Steps to known configurations cost
// no evaluation. Several neighbours of the current configuration may be in flight; each result is accepted or rejected
// on arrival.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/population.h"
#include "search/strategy_table.h"

#include <cmath>

namespace warptune {
namespace {

class Annealing {
 public:
  Annealing(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 5), moves_(setup.space, draws_),
        starts_(static_cast<std::size_t>(setup.options.at("starts"))), hottest_(setup.options.at("temperature")),
        cooling_(setup.options.at("cooling")), frozen_(setup.options.at("frozen")), temperature_(hottest_),
        start_(setup.space, archive, moves_, draws_, starts_) {}

  std::optional<ConfigIndex> next() {
    if (started_ < starts_ && archive_.observed() < starts_) {
      ++started_;
      return start_.next();
    }
    if (!at_) return std::nullopt;
    constexpr int kSteps = 64;
    for (int i = 0; i < kSteps; ++i) {
      const ConfigIndex to = moves_.neighbour(at_->index, draws_.chance(0.5) ? Kind::adjacent : Kind::hamming);
      if (const auto known = archive_.log_time(to))
        consider({to, *known});
      else if (archive_.worth(to, draws_))
        return to;
    }
    return archive_.fresh(draws_); // no new neighbour was found
  }

  void learn(const Observation& observation) {
    const Scored seen{observation.index, log_time(observation)};
    temperature_ *= cooling_;
    if (temperature_ < hottest_ * frozen_) reheat();
    consider(seen);
  }

 private:
  void consider(const Scored& seen) {
    const bool accepted =
        !at_ || seen.log_time <= at_->log_time ||
        draws_.uniform() < std::exp((at_->log_time - seen.log_time) / (temperature_ * archive_.spread()));
    if (accepted) at_ = seen;
  }

  void reheat() {
    temperature_ = hottest_;
    if (const auto best = archive_.best()) at_ = {*best, archive_.best_log_time()};
  }

  using Kind = SearchSpace::Neighbours;
  Archive& archive_;
  Draws draws_;
  Moves moves_;
  std::size_t starts_, started_ = 0;
  double hottest_, cooling_, frozen_, temperature_;
  std::optional<Scored> at_;
  LatinHypercube start_;
};

} // namespace

WT_STRATEGY(annealing) {
  return {
      "annealing",
      "a random walk that accepts slower neighbours less and less often",
      {{"starts", "number of configurations spread over the space; the search starts from the best", 10, 1, 1000, true},
       {"temperature",
        "initial temperature; a configuration slower by this many standard deviations is accepted with probability 1/e",
        0.15, 0.0001, 100},
       {"cooling", "factor by which each observation multiplies the temperature", 0.97, 0.5, 1},
       {"frozen", "share of the initial temperature below which the search restarts from the best", 0.1, 0.001, 1}},
      ask_tell<Annealing>};
}

} // namespace warptune

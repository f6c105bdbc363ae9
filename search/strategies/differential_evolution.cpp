// Differential evolution (Storn and Price 1997), current-to-best/1/bin, on the ranks of the values. Each agent competes
// only with its own trial, so that all agents may be in flight at once.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/population.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class DifferentialEvolution {
 public:
  DifferentialEvolution(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 3), moves_(setup.space, draws_),
        capacity_(static_cast<std::size_t>(setup.options.at("population"))), scale_(setup.options.at("scale")),
        crossover_(setup.options.at("crossover")), start_(setup.space, archive, moves_, draws_, capacity_) {}

  std::optional<ConfigIndex> next() {
    if (started_ < capacity_ && archive_.observed() < capacity_) {
      ++started_;
      return start_.next();
    }
    if (agents_.size() < kMinAgents) return std::nullopt;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      turn_ = (turn_ + 1) % agents_.size();
      if (agents_[turn_].waits) continue;
      std::optional<ConfigIndex> found = trial(agents_[turn_]);
      if (!found) found = archive_.fresh(draws_); // the agents are too similar for a new trial
      if (!found) break;
      agents_[turn_].waits = true;
      trials_.emplace(*found, turn_);
      return found;
    }
    return std::nullopt;
  }

  void learn(const Observation& observation) {
    const Scored seen{observation.index, log_time(observation)};
    if (const auto own = trials_.find(seen.index); own != trials_.end()) {
      Agent& agent = agents_[own->second];
      trials_.erase(own);
      agent.waits = false;
      if (seen.log_time <= agent.at.log_time) agent.at = seen;
    } else if (agents_.size() < capacity_) {
      agents_.push_back({seen, false});
    } else {
      const auto worst = std::max_element(agents_.begin(), agents_.end(),
                                          [](const Agent& a, const Agent& b) { return faster(a.at, b.at); });
      if (faster(seen, worst->at)) worst->at = seen;
    }
  }

 private:
  struct Agent {
    Scored at;
    bool waits; // whether the agent waits for its trial
  };
  static constexpr std::size_t kMinAgents = 4; // an agent, the best, and two others

  std::optional<ConfigIndex> trial(const Agent& agent) {
    constexpr int kTries = 8;
    const Axes& axes = moves_.axes();
    const Positions own = moves_.positions(agent.at.index);
    const Positions best = moves_.positions(archive_.best().value_or(agent.at.index));
    for (int i = 0; i < kTries; ++i) {
      const Positions a = moves_.positions(draws_.pick(agents_).at.index);
      const Positions b = moves_.positions(draws_.pick(agents_).at.index);
      // Dither (Das, Konar, Chakraborty 2005): among few discrete values one scale would repeat the same steps.
      const double scale = scale_ * (0.5 + draws_.uniform());
      Positions target = own;
      const std::size_t forced = draws_.pick(axes.free());
      for (const std::size_t p : axes.free())
        if (p == forced || draws_.chance(crossover_)) target[p] = mutant(p, own[p], best[p], a[p], b[p], scale);
      const ConfigIndex found = moves_.toward(agent.at.index, target);
      if (archive_.worth(found, draws_)) return found;
    }
    return std::nullopt;
  }

  std::int32_t mutant(std::size_t p, std::int32_t own, std::int32_t best, std::int32_t a, std::int32_t b,
                      double scale) {
    const Axes& axes = moves_.axes();
    if (axes.ordered(p)) {
      const double rank = axes.rank(p, own) + scale * (axes.rank(p, best) - axes.rank(p, own)) +
                          scale * (axes.rank(p, a) - axes.rank(p, b));
      return axes.position(p, axes.round(p, rank, draws_));
    }
    if (a != b && draws_.chance(scale)) return a;
    return draws_.chance(scale) ? best : own;
  }

  Archive& archive_;
  Draws draws_;
  Moves moves_;
  std::size_t capacity_;
  double scale_, crossover_;
  std::size_t started_ = 0, turn_ = 0;
  std::vector<Agent> agents_;
  std::unordered_map<ConfigIndex, std::size_t> trials_; // trials in flight, with the index of the agent
  LatinHypercube start_;
};

} // namespace

WT_STRATEGY(differential_evolution) {
  return {"differential_evolution",
          "each agent, a configuration, moves towards the best one and along the difference of two others",
          {{"population", "agents", 20, 4, 1000, true},
           {"scale", "factor by which a step multiplies the difference", 0.8, 0, 2},
           {"crossover", "probability that a param takes the step", 0.7, 0, 1}},
          ask_tell<DifferentialEvolution>};
}

} // namespace warptune

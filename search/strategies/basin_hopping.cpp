// Basin hopping (Wales and Doye 1997): every param moves by up to a share of its range, a descent over adjacent values
// follows, and the local optimum is accepted as in annealing at a fixed temperature.
#include "search/ask_tell.h"
#include "search/iterated_descent.h"
#include "search/strategy_table.h"

#include <cmath>

namespace warptune {
namespace {

class BasinHopping {
 public:
  BasinHopping(const StrategySetup& setup, Archive& archive)
      : draws_(setup.seed, 7), moves_(setup.space, draws_), step_(setup.options.at("step")),
        temperature_(setup.options.at("temperature")),
        descents_(setup.space, archive, moves_, draws_, SearchSpace::Neighbours::adjacent,
                  {static_cast<std::size_t>(setup.options.at("starts")), [this](ConfigIndex home) { return hop(home); },
                   [this, &archive](const Scored& found, const Scored& home) {
                     return found.log_time <= home.log_time ||
                            draws_.chance(
                                std::exp((home.log_time - found.log_time) / (temperature_ * archive.spread())));
                   }}) {}

  std::optional<ConfigIndex> next() { return descents_.next(); }
  void learn(const Observation& observation) { descents_.learn({observation.index, log_time(observation)}); }

 private:
  ConfigIndex hop(ConfigIndex home) {
    const Axes& axes = moves_.axes();
    Positions target = moves_.positions(home);
    for (const std::size_t p : axes.free()) {
      if (axes.ordered(p)) {
        const double by = (2 * draws_.uniform() - 1) * step_ * axes.size(p);
        target[p] = axes.position(p, axes.round(p, axes.rank(p, target[p]) + by, draws_));
      } else if (draws_.chance(step_)) {
        target[p] = moves_.mutate(p, target[p]);
      }
    }
    return moves_.toward(home, target);
  }

  Draws draws_;
  Moves moves_;
  double step_, temperature_;
  IteratedDescent descents_;
};

} // namespace

WT_STRATEGY(basin_hopping) {
  return {
      "basin_hopping",
      "random hops in every param, each followed by a descent; accepts slower optima, as annealing does",
      {{"starts", "number of configurations spread over the space; the search starts from the best", 10, 1, 1000, true},
       {"step", "largest hop, as a share of each param's range", 0.3, 0, 1},
       {"temperature", "a configuration slower by this many standard deviations is accepted with probability 1/e", 0.1,
        0.0001, 100}},
      ask_tell<BasinHopping>};
}

} // namespace warptune

// Iterated local search (Lourenço, Martin, Stützle 2003): descends to a local optimum, changes a few params of the best
// one, and descends again.
#include "search/ask_tell.h"
#include "search/iterated_descent.h"
#include "search/strategy_table.h"

namespace warptune {
namespace {

class LocalSearch {
 public:
  LocalSearch(const StrategySetup& setup, Archive& archive)
      : draws_(setup.seed, 6), moves_(setup.space, draws_),
        strength_(static_cast<std::size_t>(setup.options.at("strength"))), restart_(setup.options.at("restart")),
        descents_(setup.space, archive, moves_, draws_, SearchSpace::Neighbours::hamming,
                  {static_cast<std::size_t>(setup.options.at("starts")),
                   [this](ConfigIndex home) { return moves_.jump(home, 1 + draws_.below(strength_)); },
                   [this](const Scored& found, const Scored& home) {
                     return found.log_time <= home.log_time || draws_.chance(restart_);
                   }}) {}

  std::optional<ConfigIndex> next() { return descents_.next(); }
  void learn(const Observation& observation) { descents_.learn({observation.index, log_time(observation)}); }

 private:
  Draws draws_;
  Moves moves_;
  std::size_t strength_;
  double restart_;
  IteratedDescent descents_;
};

} // namespace

WT_STRATEGY(local_search) {
  return {
      "local_search",
      "descends to a local optimum, changes a few params, and descends again",
      {{"starts", "number of configurations spread over the space; the search starts from the best", 10, 1, 1000, true},
       {"strength", "maximum number of params changed to leave a local optimum", 3, 1, 100, true},
       {"restart", "probability of continuing from a slower local optimum", 0.05, 0, 1}},
      ask_tell<LocalSearch>};
}

} // namespace warptune

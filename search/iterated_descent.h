// IteratedDescent: descends to a local optimum, hops away from its home configuration, and descends again. Iterated
// local search and basin hopping both use it. These two strategies differ in the length of hops, and in which local
// optimum becomes the home.
#pragma once

#include "search/descent.h"
#include "search/latin_hypercube.h"

#include <functional>

namespace warptune {

class IteratedDescent {
 public:
  struct Rules {
    std::size_t starts; // number of random configurations, the best of which is the first home
    std::function<ConfigIndex(ConfigIndex home)> hop;                    // returns a valid configuration
    std::function<bool(const Scored& found, const Scored& home)> accept; // whether the optimum found becomes the home
  };

  IteratedDescent(const SearchSpace& space, Archive& archive, Moves& moves, Draws& draws,
                  SearchSpace::Neighbours around, Rules rules)
      : archive_(archive), draws_(draws), descent_(archive, moves, draws, around),
        start_(space, archive, moves, draws, rules.starts), rules_(std::move(rules)) {}

  std::optional<ConfigIndex> next();
  void learn(const Scored& seen);

 private:
  Archive& archive_;
  Draws& draws_;
  Descent descent_;
  LatinHypercube start_;
  Rules rules_;
  std::size_t started_ = 0;
  std::optional<Scored> home_;         // nullopt until the first descent has ended
  std::optional<ConfigIndex> landing_; // where the last hop ended; nullopt after its observation
};

} // namespace warptune

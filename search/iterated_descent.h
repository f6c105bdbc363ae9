// IteratedDescent: descends, hops away from its home configuration, and descends again. Shared by iterated local search
// and basin hopping, which differ in hop distance and in the local optimum that becomes the new home.
#pragma once

#include "search/descent.h"
#include "search/latin_hypercube.h"

#include <functional>

namespace warptune {

class IteratedDescent {
 public:
  struct Rules {
    std::size_t starts; // number of random configurations; the best of them is the first home
    std::function<ConfigIndex(ConfigIndex home)> hop;                    // to a valid configuration
    std::function<bool(const Scored& found, const Scored& home)> accept; // whether a local optimum becomes the new home
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
  std::optional<Scored> home_;         // nullopt before the end of the first descent
  std::optional<ConfigIndex> landing_; // target of the last hop, not yet observed
};

} // namespace warptune

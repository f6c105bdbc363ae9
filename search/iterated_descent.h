// IteratedDescent: descend, hop elsewhere from where one is at home, descend again. What iterated local search and
// basin hopping share: they differ in how far they hop, and which local optimum becomes the new home.
#pragma once

#include "search/descent.h"
#include "search/latin_hypercube.h"

#include <functional>

namespace warptune {

class IteratedDescent {
 public:
  struct Rules {
    std::size_t starts;                               // random configurations, the best of which is the first home
    std::function<ConfigIndex(ConfigIndex home)> hop; // to a valid configuration
    std::function<bool(const Scored& found, const Scored& home)> accept; // a local optimum as the new home
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
  std::optional<Scored> home_;         // nothing: before the first descent
  std::optional<ConfigIndex> landing_; // hopped to, not yet observed
};

} // namespace warptune

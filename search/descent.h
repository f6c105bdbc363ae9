// Descent: local search from one configuration, a neighbour at a time, first improvement: values next to the present
// ones before all others. Several neighbours may be under way.
#pragma once

#include "search/population.h"

#include <deque>
#include <unordered_set>

namespace warptune {

class Descent {
 public:
  Descent(Archive& archive, Moves& moves, Draws& draws, SearchSpace::Neighbours around)
      : archive_(archive), moves_(moves), draws_(draws), around_(around) {}

  void start(const Scored& at);
  std::optional<ConfigIndex> next(); // a neighbour that is not visited; nothing: all are known or under way
  bool learn(const Scored& seen);    // moves to an improvement; false: not one of the neighbours under way
  bool ended() const { return left_.empty() && waits_.empty(); } // nothing around is better
  const Scored& at() const { return at_; }                       // the fastest so far

 private:
  Archive& archive_;
  Moves& moves_;
  Draws& draws_;
  SearchSpace::Neighbours around_;
  Scored at_{0, std::numeric_limits<double>::infinity()};
  std::deque<ConfigIndex> left_;          // neighbours to look at
  std::unordered_set<ConfigIndex> waits_; // neighbours under way
};

} // namespace warptune

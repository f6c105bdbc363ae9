// Descent: local search from one configuration, one neighbour at a time, by first improvement. Neighbours whose value
// is adjacent to the current one come first. Several neighbours may be in flight.
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
  std::optional<ConfigIndex> next(); // a neighbour that is not visited; nullopt: all are known or in flight
  bool learn(const Scored& seen);    // moves to an improvement; false: `seen` is not a neighbour in flight
  bool ended() const { return left_.empty() && waits_.empty(); } // no neighbour is better
  const Scored& at() const { return at_; }                       // the fastest so far

 private:
  Archive& archive_;
  Moves& moves_;
  Draws& draws_;
  SearchSpace::Neighbours around_;
  Scored at_{0, std::numeric_limits<double>::infinity()};
  std::deque<ConfigIndex> left_;          // neighbours still to propose
  std::unordered_set<ConfigIndex> waits_; // neighbours in flight
};

} // namespace warptune

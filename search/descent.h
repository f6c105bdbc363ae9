// Descent: local search from one configuration, which moves to the first better neighbour. Neighbours with an adjacent
// value of a param are tried first. Several neighbours may be in flight.
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
  std::optional<ConfigIndex> next(); // returns an unvisited neighbour; nullopt: all are known or in flight
  bool learn(const Scored& seen);    // moves to `seen` if that is better; false: `seen` was not a neighbour in flight
  bool ended() const { return left_.empty() && waits_.empty(); } // if true, no neighbour is better
  const Scored& at() const { return at_; }                       // the fastest so far

 private:
  Archive& archive_;
  Moves& moves_;
  Draws& draws_;
  SearchSpace::Neighbours around_;
  Scored at_{0, std::numeric_limits<double>::infinity()};
  std::deque<ConfigIndex> left_;          // neighbours not yet proposed
  std::unordered_set<ConfigIndex> waits_; // neighbours in flight
};

} // namespace warptune

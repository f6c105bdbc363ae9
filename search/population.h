// Code that methods with a population share: members with their times, and children of two parents.
#pragma once

#include "search/archive.h"
#include "search/moves.h"

#include <functional>

namespace warptune {

struct Scored {
  ConfigIndex index;
  double log_time; // infinity: failed
};

inline bool faster(const Scored& a, const Scored& b) { return a.log_time < b.log_time; }

struct Breeding {
  double crossover; // probability that a child has two parents
  double mutation;  // mean number of params that change
};

// Returns a child that is worth trying, made by uniform crossover (Syswerda 1989), mutation, and repair towards the
// first parent. If similar parents give only known children, the mutation rate is raised until a new child is found.
// nullopt if none is found.
std::optional<ConfigIndex> breed(const Archive& archive, Moves& moves, Draws& draws, const Breeding& breeding,
                                 const std::function<ConfigIndex()>& parent);

} // namespace warptune

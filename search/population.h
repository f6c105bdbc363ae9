// What methods with a population share: scored members and children of two parents.
#pragma once

#include "search/archive.h"
#include "search/moves.h"

#include <algorithm>
#include <functional>

namespace warptune {

struct Scored {
  ConfigIndex index;
  double log_time; // infinity: failed
};

inline bool faster(const Scored& a, const Scored& b) { return a.log_time < b.log_time; }

struct Breeding {
  double crossover; // probability of two parents
  double mutation;  // mean number of params that change
};

// A child that is worth trying: uniform crossover (Syswerda 1989), mutation, repaired towards the first parent. Where
// parents are alike and their children known, mutation grows until something new is found. Nothing: even so.
std::optional<ConfigIndex> breed(const Archive& archive, Moves& moves, Draws& draws, const Breeding& breeding,
                                 const std::function<ConfigIndex()>& parent);

} // namespace warptune

// How good strategies are, from their traces: the measures of docs/search.md. Pure.
#pragma once

#include "interchange/search_trace.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace warptune {

inline constexpr std::array<std::int64_t, 5> kScoredBudgets = {25, 50, 100, 200, 400};
inline constexpr std::int64_t kScoredCap = 400;

struct SpaceScore {
  // Optimum over best found after so many unique evaluations, in [0, 1], mean over the seeds; 0: nothing was found;
  // NaN: a budget ended one of the runs before.
  std::array<double, kScoredBudgets.size()> at{};
  // Expected evaluations until 95 % and 99 % of the optimum: evaluations of all seeds, each until it got there, the cap
  // or its budget, over the seeds that did (expected running time: Hansen, Auger, Finck, Ros 2009).
  double evaluations_95 = 0, evaluations_99 = 0;
  double spent_95_s = 0; // the same in time spent on the recorded device; NaN where traces do not say
  std::size_t seeds = 0;
};

struct StrategyScore {
  std::string strategy;
  std::map<std::string, SpaceScore> spaces;
  std::array<double, kScoredBudgets.size()> at{};                // means over spaces; NaN where one of them is
  double worst_at_100 = 0;                                       // NaN where at[2] is
  double evaluations_95 = 0, evaluations_99 = 0, spent_95_s = 0; // geometric means over spaces
  std::size_t seeds = 0;                                         // on the space with the fewest
};

// Best at 100 first, or at the largest number below that all runs came to. `best_ms`: the optimum of each space; traces
// of other spaces are left out.
std::vector<StrategyScore> score_strategies(const std::vector<SearchTrace>& traces,
                                            const std::map<std::string, double>& best_ms);

} // namespace warptune

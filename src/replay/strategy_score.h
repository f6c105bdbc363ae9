// Scores strategies by their traces: the measures of docs/search.md. Pure.
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
  // The optimum divided by the best found after this many unique evaluations, in [0, 1], mean over the seeds; 0:
  // nothing was found; NaN: a budget ended one of the runs earlier.
  std::array<double, kScoredBudgets.size()> at{};
  // Expected evaluations until 95 % and 99 % of the optimum are reached: the evaluations of all seeds, each counted
  // until it reaches the share, the cap or its budget, divided by the number of seeds that reached the share (expected
  // running time: Hansen, Auger, Finck, Ros 2009).
  double evaluations_95 = 0, evaluations_99 = 0;
  bool is_reached_95 = false, is_reached_99 = false; // by at least one seed; otherwise the number is a lower bound
  double spent_95_s = 0; // the same as tuning time on the recorded device; NaN if traces lack it
  std::size_t seeds = 0;
};

struct StrategyScore {
  std::string strategy;
  std::map<std::string, SpaceScore> spaces;
  std::array<double, kScoredBudgets.size()> at{};                // means over spaces; NaN if one of them is NaN
  double worst_at_100 = 0;                                       // NaN if at[2] is NaN
  double evaluations_95 = 0, evaluations_99 = 0, spent_95_s = 0; // geometric means over spaces
  bool is_reached_95 = true, is_reached_99 = true;               // in every space
  std::size_t seeds = 0;                                         // the lowest value over the spaces
};

// Sorts by the value at 100 evaluations, or at the largest number below 100 that all runs reached; the best comes
// first. `best_ms`: the optimum of each space; traces of other spaces are left out.
std::vector<StrategyScore> score_strategies(const std::vector<SearchTrace>& traces,
                                            const std::map<std::string, double>& best_ms);

} // namespace warptune

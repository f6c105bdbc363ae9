// Scores strategies by their traces, with the measures of docs/search.md. Pure.
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
  // For each of kScoredBudgets: the optimum divided by the best time found within that number of unique evaluations, in
  // [0, 1]; the mean over the seeds. 0: nothing was found. NaN: a run had a smaller budget.
  std::array<double, kScoredBudgets.size()> at{};
  // Expected evaluations until 95 % and 99 % of the optimum are reached (expected running time: Hansen, Auger, Finck,
  // Ros 2009). A run's evaluations are counted until the run reaches the share, kScoredCap or its budget. The value is
  // the sum of these counts over all seeds, divided by the number of seeds that reached the share.
  double evaluations_95 = 0, evaluations_99 = 0;
  // False: no seed reached the share, so evaluations_95 or evaluations_99 is a lower bound.
  bool is_reached_95 = false, is_reached_99 = false;
  double spent_95_s = 0; // like evaluations_95, but tuning time on the recorded device; NaN if a trace has no times
  std::size_t seeds = 0;
};

struct StrategyScore {
  std::string strategy;
  std::map<std::string, SpaceScore> spaces;
  std::array<double, kScoredBudgets.size()> at{};                // mean values over the spaces; NaN if one value is NaN
  double worst_at_100 = 0;                                       // NaN if at[2] is NaN
  double evaluations_95 = 0, evaluations_99 = 0, spent_95_s = 0; // geometric means over the spaces
  bool is_reached_95 = true, is_reached_99 = true;               // whether the share was reached in every space
  std::size_t seeds = 0;                                         // number of seeds; the minimum over the spaces
};

// Returns the scores, the best first. They are sorted by the value at 100 evaluations, or, if a run ended earlier, at
// the largest of kScoredBudgets that all runs reached. `best_ms`: the optimum of each space; traces of other spaces are
// ignored.
std::vector<StrategyScore> score_strategies(const std::vector<SearchTrace>& traces,
                                            const std::map<std::string, double>& best_ms);

} // namespace warptune

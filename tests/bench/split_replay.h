// Simulates the search of one problem by several devices together (tuner/shared_search.h), event by event, with
// recorded times. Candidates are proposed, claimed, compiled, measured and observed by the rules of tuner/pipeline.h.
// All processes make the same proposals, so one strategy stands for all of them.
#pragma once

#include "core/result.h"
#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace warptune {

struct SplitPlan {
  int devices = 1;
  int compilers = 15;        // compile processes per device
  double delay_s = 0.02;     // delay until all devices see a result; if there is only one device, no delay
  std::int64_t budget = 200; // evaluations of all devices together
  std::int64_t ahead = 0;    // candidates in flight; 0: as many as in a session (candidates_ahead)
};

// One evaluated configuration, with the seconds that compiling it and measuring it take.
struct SplitEvaluation {
  Observation observation;
  double compile_s = 0, device_s = 0;
};

struct SplitReplay {
  std::vector<ConfigIndex> order; // the proposals in their order
  std::vector<double> seen_s;     // time in seconds when each proposal's result was observed; never decreases
  double wall_s() const { return seen_s.empty() ? 0 : seen_s.back(); }
};

SplitReplay replay_split(Strategy& strategy, const std::function<SplitEvaluation(ConfigIndex)>& evaluate,
                         const SplitPlan& plan);

} // namespace warptune

// Replays the search of one problem that is split over several devices (tuner/shared_search.h), event by event, with
// recorded times: candidates are proposed, claimed, compiled, measured and observed by the rules of tuner/pipeline.h.
// All processes make the same proposals, so one strategy represents them all.
#pragma once

#include "core/result.h"
#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace warptune {

struct SplitPlan {
  int devices = 1;
  int compilers = 15;        // compiling processes per device
  double delay_s = 0.02;     // until all devices see a result; a single device sees it immediately
  std::int64_t budget = 200; // evaluations of all devices together
  std::int64_t ahead = 0;    // open candidates; 0: as many as a session has (candidates_ahead)
};

// One evaluated configuration, with the compiler and device seconds that it takes.
struct SplitEvaluation {
  Observation observation;
  double compile_s = 0, device_s = 0;
};

struct SplitReplay {
  std::vector<ConfigIndex> order; // order of the proposals
  std::vector<double> seen_s;     // when the result of each was observed; never decreases
  double wall_s() const { return seen_s.empty() ? 0 : seen_s.back(); }
};

SplitReplay replay_split(Strategy& strategy, const std::function<SplitEvaluation(ConfigIndex)>& evaluate,
                         const SplitPlan& plan);

} // namespace warptune

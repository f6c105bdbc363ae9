// Islands: several searchers share one space and its evaluations, without a coordinator. All begin with the same seed.
// In each round every searcher makes the same proposals, evaluates its own share of them, and reads the results of the
// others before the next round. So no configuration is evaluated twice. Searchers that have different seeds and only
// read each other's results lose more (docs/notes/islands.md). This code replays islands on a recorded space, as if
// every evaluation took equally long.
#pragma once

#include "replay/strategy_replay.h"

namespace warptune {

struct IslandOptions {
  int islands = 4;
  std::int64_t interval = 4; // evaluations of each island in a round
  std::int64_t budget = 200; // evaluations of all islands together
};

// The trace counts the evaluations of all islands in the order of the proposals. One island with an interval of 1 gives
// the same trace as `replay`. Errors: those of make_strategy; internal if a strategy breaks its contract, or two
// searchers differ.
Result<ReplayRun> replay_islands(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                                 const IslandOptions& options);

} // namespace warptune

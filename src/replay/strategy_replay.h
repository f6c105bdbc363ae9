// Replays a strategy on a recorded space: the strategy proposes configurations, and the recording gives their times.
// The strategy sees only the space and the results of its own proposals. The replay checks that the strategy keeps its
// contract.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"
#include "interchange/search_trace.h"
#include "search/strategy.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace warptune {

struct ReplayOptions {
  std::int64_t budget = 400;
  // Number of configurations in flight: the strategy gets each result this many proposals later. Results are in
  // proposal order.
  std::size_t batch = 1;
  // If a configuration has samples, each evaluation returns one of them, which the seed determines. The trace still has
  // the recorded time.
  bool noise = false;
  const std::atomic<bool>* stop = nullptr; // if set, the replay ends with an error of kind interrupted
  const Knowledge* knowledge = nullptr;    // given to the strategy; null: none
};

struct ReplayRun {
  SearchTrace trace;
  std::int64_t evaluations = 0;
  double own_ms = 0; // CPU time inside the strategy
};

// Errors: bad_input from make_strategy; internal if the strategy proposes a configuration outside the space, the same
// configuration twice, or more configurations than requested; interrupted if `stop` was set.
Result<ReplayRun> replay(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                         const ReplayOptions& options = {});

struct ReplayPlan {
  std::vector<const RecordedSpace*> spaces;
  std::vector<Knowledge> knowledge; // one per space; empty: strategies get none
  std::vector<StrategyChoice> strategies;
  int seeds = 30;        // uses the seeds 0 to seeds - 1
  int jobs = 1;          // threads; their number does not affect the results
  ReplayOptions options; // its `stop` and `knowledge` are not used
};

struct ReplayRuns {
  std::vector<ReplayRun> complete; // sorted by strategy, then space, then seed
  std::size_t total = 0;           // number of planned runs; if `stop` was set, not all are complete
};

// Runs every strategy on every space with every seed. Calls `progress(done, total)` on this thread. Errors: those of
// replay(), and internal if memory runs out. After an error no further run begins.
Result<ReplayRuns> replay_all(const ReplayPlan& plan, const std::function<void(std::size_t, std::size_t)>& progress,
                              const std::atomic<bool>& stop);

} // namespace warptune

// Replays a strategy on a recorded space: the strategy proposes configurations, and the recording returns their times.
// Checks that the strategy keeps its contract. The strategy receives only the space and the results of its own
// proposals.
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
  // Configurations in flight: the strategy receives each result this many proposals later, in proposal order.
  std::size_t batch = 1;
  // If a configuration has samples, each evaluation returns one of them, drawn by the seed. The trace still has the
  // recorded time.
  bool noise = false;
  const std::atomic<bool>* stop = nullptr; // once set, the replay ends with the error `interrupted`
  const Knowledge* knowledge = nullptr;    // the knowledge that the strategy is given; null: none
};

struct ReplayRun {
  SearchTrace trace;
  std::int64_t evaluations = 0;
  double own_ms = 0; // processor time inside the strategy
};

// Errors: bad_input from make_strategy; internal if the strategy breaks its contract (a configuration outside the
// space, one proposed twice, or more than requested); interrupted: `stop` was set.
Result<ReplayRun> replay(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                         const ReplayOptions& options = {});

struct ReplayPlan {
  std::vector<const RecordedSpace*> spaces;
  std::vector<Knowledge> knowledge; // knowledge of each space; empty: strategies get none
  std::vector<StrategyChoice> strategies;
  int seeds = 30;        // the seeds are 0 to seeds - 1
  int jobs = 1;          // threads; their number does not change the runs
  ReplayOptions options; // except `stop` and `knowledge`
};

struct ReplayRuns {
  std::vector<ReplayRun> complete; // the runs, sorted by strategy, then space, then seed
  std::size_t total = 0;           // more than the complete ones if `stop` was set
};

// Runs every strategy on every space with every seed. `progress(done, total)` is called on this thread. Errors: those
// of replay(), and internal if memory runs out; then no further run begins.
Result<ReplayRuns> replay_all(const ReplayPlan& plan, const std::function<void(std::size_t, std::size_t)>& progress,
                              const std::atomic<bool>& stop);

} // namespace warptune

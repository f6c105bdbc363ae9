// Finals: measures the best candidates again, interleaved in rounds on fresh data. tuner/decision.h chooses the winner.
#pragma once

#include "core/objective.h"
#include "jit/cubin_cache.h"
#include "plan/candidate_plans.h"
#include "spec/spec.h"
#include "tuner/decision.h"
#include "tuner/pipeline.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// Fills in `calls`, `shared_bytes` and `threads` of each finalist, which decide between equally fast finalists. For a
// finalist that a command built, threads and shared memory come from its cubin in `cubins` if it is there, otherwise
// from the spec.
void describe_launches(std::vector<Finalist>& finalists, CandidatePlans& plans, const CubinCache& cubins,
                       const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

// The maximum time of a finalist, relative to the fastest. It is larger for energy objectives, because the fastest
// configuration does not always use the least energy. There is still a limit: a much slower configuration saves
// nothing, because it only draws idle power for longer.
constexpr double finalist_band(Objective objective) { return objective == Objective::time ? 1.05 : 1.25; }

// Returns the best `count` correct trials within this limit, and always the default if it is correct. For energy
// objectives, three times as many, because the first energy round selects among them.
std::vector<ConfigIndex> choose_finalists(const TrialBook& book, std::optional<ConfigIndex> default_index, int count,
                                          Objective objective = Objective::time);

struct FinalsReport {
  int rounds = 0, throttled = 0;           // throttled: rounds with a fault of the device, discarded unless kept
  std::uint64_t fault_reasons = 0;         // throttle reasons seen in the throttled rounds
  bool kept_throttled = false;             // whether throttled rounds count, because there were too few others
  std::vector<DeviceReadings> device = {}; // one value for each counted round
  bool stopped = false;
};

// Compiles the finalists again in the device worker (usually from the cache) and takes the samples. The rounds run in
// several processes, one after another, so that their spread includes the spread between processes. There are at most
// `rounds` rounds. Losers drop out (settle_losers). After kMinRounds rounds, the finals end when one finalist is left
// or the samples have taken 2 s. A finalist that crashes, or is wrong on fresh data, is disqualified. Rounds at the
// board's power cap count, because samples are compared within each round (tuner/paired_rounds.h). Exception: samples
// of a recording have no common rounds and are compared as they are. Error: the device has become unusable.
Result<FinalsReport> run_finals(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                                int rounds, double compile_timeout_s, const std::function<void(int)>& after_round,
                                const std::atomic<bool>& stop, bool cold_l2);

} // namespace warptune

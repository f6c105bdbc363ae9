// Finals: measures the best candidates again, in interleaved rounds on new inputs. tuner/decision.h chooses the winner.
#pragma once

#include "core/objective.h"
#include "jit/cubin_cache.h"
#include "plan/candidate_plans.h"
#include "tuner/decision.h"
#include "tuner/pipeline.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace warptune {

// Sets `calls`, `shared_bytes` and `threads` of each finalist. These values decide between equally fast finalists.
// Threads and shared memory are from the cubin if a command built it and `cubins` has it; otherwise from the spec.
void describe_launches(std::vector<Finalist>& finalists, CandidatePlans& plans, const CubinCache& cubins,
                       const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

// How slow a finalist may be, relative to the fastest. For energy objectives the limit is wider, because the fastest
// configuration does not always use the least energy. There is still a limit, because a much slower configuration saves
// nothing: the device draws idle power for longer.
constexpr double finalist_band(Objective objective) { return objective == Objective::time ? 1.05 : 1.25; }

// Returns the best `count` correct trials within finalist_band, and also the default if it is correct. For energy
// objectives, returns up to three times as many trials, because the first round of energy readings selects among them.
std::vector<ConfigIndex> choose_finalists(const TrialBook& book, std::optional<ConfigIndex> default_index, int count,
                                          Objective objective = Objective::time);

struct FinalsReport {
  int rounds = 0,
      throttled = 0; // rounds in which the device slowed its clocks; discarded unless kept_throttled is true
  std::uint64_t fault_reasons = 0;         // throttle reasons seen in the throttled rounds
  bool kept_throttled = false;             // whether throttled rounds count too, because too few others remained
  std::vector<DeviceReadings> device = {}; // one value per counted round
  bool stopped = false;
};

// Compiles the finalists again in the device process (their cubins are usually in the cache), and takes samples. There
// are at most `rounds` rounds, in several processes one after another, so that the spread of the samples includes the
// spread between processes. Finalists that are clearly slower drop out (settle_losers). After kMinRounds rounds, the
// finals end when one finalist is left or the samples have taken 2 s. A finalist that crashes, or is wrong on new
// inputs, is disqualified. Rounds at the board's power cap are not discarded, because samples are compared within each
// round (tuner/paired_rounds.h). Samples from a recording are compared directly, because the finalists were not
// recorded in common rounds. Error: the device can no longer be used.
Result<FinalsReport> run_finals(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                                int rounds, double compile_timeout_s, const std::function<void(int)>& after_round,
                                const std::atomic<bool>& stop, bool cold_l2);

} // namespace warptune

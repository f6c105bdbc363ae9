// Finals: the best candidates measured again, interleaved in rounds on fresh data. What follows from it is decided in
// tuner/decision.h.
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

// calls, shared_bytes and threads of each, for the order among equals. What a command built tells its own threads and
// shared memory with its program, which `cubins` has by Finalist::compiled; where it has none, the spec's count.
void describe_launches(std::vector<Finalist>& finalists, CandidatePlans& plans, const CubinCache& cubins,
                       const Kernel& kernel, const Problem& problem, const DeviceInfo& device);

// What a configuration may take longer than the fastest and still be a finalist. Of energy the fastest is not always
// the most frugal, but those far behind only draw idle power for longer.
constexpr double finalist_band(Objective objective) { return objective == Objective::time ? 1.05 : 1.25; }

// The correct trials within the band of the fastest, the best `count` of them; the default always, if it is correct.
// Where energy is to be measured, three times as many: its first round chooses.
std::vector<ConfigIndex> choose_finalists(const TrialBook& book, std::optional<ConfigIndex> default_index, int count,
                                          Objective objective = Objective::time);

struct FinalsReport {
  int rounds = 0, throttled = 0;   // throttled: rounds that were discarded because the device was not well, unless kept
  std::uint64_t fault_reasons = 0; // of those rounds
  bool kept_throttled = false;     // too few others could be had, so those count
  std::vector<DeviceReadings> device = {}; // in each round that counted
  bool stopped = false;
};

// Compiles the finalists again in the device worker (the cache answers, unless it was lost) and takes the samples.
// The rounds run in several processes, one after another, so that their spread is that of runs of the program.
// `rounds` at most: losers leave (settle_losers), and when one finalist is left it is decided. A finalist that dies or
// is wrong on fresh data is out. Rounds at the board's power cap count: they are compared each by itself
// (tuner/paired_rounds.h), but for a recording, whose samples are of no common round. Error: the device cannot be used
// any more.
Result<FinalsReport> run_finals(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                                int rounds, double compile_timeout_s, const std::function<void(int)>& after_round,
                                const std::atomic<bool>& stop, bool cold_l2);

} // namespace warptune

// Finals: the best candidates measured again, interleaved in rounds on fresh data, and the decision that follows: a
// winner, the set that cannot be told from it, and whether it is better than the default, in time or in what else the
// session minimises. Never worse: in doubt the default wins.
#pragma once

#include "core/objective.h"
#include "jit/cubin_cache.h"
#include "plan/candidate_plans.h"
#include "spec/spec.h"
#include "tuner/pipeline.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

struct Finalist {
  ConfigIndex index = -1;
  Config config;
  Compiled compiled;
  bool is_default = false;
  double explored_us = 0;               // the median that brought it here
  std::vector<float> samples_us;        // one per round that counted
  TrialStatus status = TrialStatus::ok; // not ok: out, with the evidence
  std::string evidence;
  std::int64_t shared_bytes = 0, threads = 0; // of a block of its largest launch; dynamic shared memory
  bool settled = false;                       // proven slower than another: its rounds are over
  std::vector<float> energy_mj = {};          // of a launch, one per reading (tuner/energy.h)
  std::optional<PowerReading> power = {};     // what those readings come to
  std::string calls = {};                     // into libraries: "driver.fill, driver.copy"
};

struct Decision {
  std::size_t winner = 0; // into the finalists
  // Not distinguishable from the best at 95 %, itself included. Of those within 0.2 % of it that are proven better
  // than the default the winner is the one with the fewest registers, then the least shared memory, then the fewest
  // threads, then the first in the order of the parameters' values; so a repeated sweep picks it again.
  std::vector<std::size_t> tie_set;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0;
  double p_value = 1;     // that the winner is not better than the default
  bool certified = false; // there were rounds enough to tell
  std::string outcome;
};

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
  int rounds = 0, throttled = 0; // throttled: rounds that were discarded, unless kept
  bool kept_throttled = false;   // too few others could be had, so those count
  bool stopped = false;
};

// Compiles the finalists again in the device worker (the cache answers, unless it was lost) and takes the samples.
// `rounds` at most: a finalist that is slower in each of at least five rounds, by more than the rounds differ, leaves,
// and when one is left it is decided. A finalist that dies or is wrong on fresh data is out. Error: the device cannot
// be used any more.
Result<FinalsReport> run_finals(DeviceWorker& device, const DeviceInfo& info, std::vector<Finalist>& finalists,
                                int rounds, double compile_timeout_s, const std::function<void(int)>& after_round,
                                const std::atomic<bool>& stop, bool cold_l2);

// Its median so far; energy 0 without a reading.
double objective_of(const Finalist& finalist, Objective objective);

// Nothing when all are out. By energy only those are judged that have readings of every round.
std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective = Objective::time);

} // namespace warptune

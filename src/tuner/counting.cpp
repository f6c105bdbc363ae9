#include "tuner/counting.h"

#include "tuner/profiling.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace warptune {
namespace {

// With kExplaining, a pass takes tens of milliseconds. With kCheap and many configurations, a pass takes a few
// milliseconds per configuration.
constexpr const char* kExplaining = "roofline,stalls";
constexpr const char* kCheap = "lean";

// Returns whether to continue.
Result<bool> count(SessionWork& work, const std::vector<Trial*>& trials, const std::string& metrics) {
  const ProfilingOptions options{metrics, work.options.measure.cold_l2, work.options.evaluate_timeout_s};
  const std::int64_t before = work.now.done;
  SessionResult& result = work.result;
  WT_TRY(auto done,
         profile_trials(
             work.device, trials, options,
             [&](const Trial& trial) { return work.ledger->keep_profile(result.session, work.kernel.spec, trial); },
             [&](std::int64_t so_far) { work.report_done(before + so_far); }, work.stop));
  result.profiled += done.profiled;
  result.interrupted = done.stopped;
  if (!done.unavailable.empty()) result.notes.push_back("no counters were read: " + done.unavailable);
  if (done.failed > 0)
    result.notes.push_back(fmt::format("counters could not be read for {} of {} configurations; the first: {}",
                                       done.failed, trials.size(), done.first_failure));
  return !done.stopped && done.unavailable.empty();
}

} // namespace

Result<void> count_trials(SessionWork& work) {
  if (work.options.profile == ProfileScope::none) return {};
  std::vector<Trial*> explained, others;
  for (auto& [index, trial] : work.book) {
    if (trial.status != TrialStatus::ok || trial.profile) continue;
    const bool chosen = index == work.default_index || work.text_of(trial.config) == work.result.best.config;
    if (chosen)
      explained.push_back(&trial);
    else if (work.options.profile == ProfileScope::all)
      others.push_back(&trial);
  }
  work.now.done = work.now.reused = 0;
  work.now.total = static_cast<std::int64_t>(explained.size() + others.size());
  if (work.now.total == 0) return {};
  work.begin_phase("counting");
  const bool automatic = work.options.metrics.empty();
  const std::string& asked = work.options.metrics;
  auto more = count(work, explained, automatic ? kExplaining : asked);
  if (more && *more) more = count(work, others, automatic ? kCheap : asked);
  WT_CHECK(more);
  return {};
}

} // namespace warptune

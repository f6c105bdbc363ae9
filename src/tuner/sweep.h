// Sweep: many jobs (kernel x problem) tuned unattended on one or several devices. Each job is a session of its own and
// is recorded as one, so a sweep that was stopped or killed is resumed by what its sessions say; it has no state beside
// the database. Coordinates sessions; knows nothing of a trial.
#pragma once

#include "core/result.h"
#include "tuner/sweep_job.h"

#include <atomic>
#include <functional>
#include <vector>

namespace warptune {

// A job that fails is its report, and the sweep goes on. Error: no device can be used, or the database cannot. `stop`
// as for a session.
Result<SweepResult> run_sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                              const std::function<void(const SweepProgress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune

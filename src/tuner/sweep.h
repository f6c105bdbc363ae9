// Sweep: tunes many jobs (kernel x problem) unattended, on one or several devices. Each job is stored as its own
// session. The database is the sweep's only state, so a stopped or killed sweep is resumed from these sessions.
// Coordinates sessions and does not depend on trials.
#pragma once

#include "core/result.h"
#include "tuner/sweep_job.h"

#include <atomic>
#include <functional>
#include <vector>

namespace warptune {

// If a job fails, its report has the error, and the sweep continues. Error: there is no usable device, or the database
// cannot be used. `stop`: as for a session.
Result<SweepResult> run_sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                              const std::function<void(const SweepProgress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune

// Sweep: many jobs (kernel x problem) tuned unattended on one or several devices. Each job is stored as a separate
// session, so a stopped or killed sweep is resumed from its sessions; the database is its only state. Coordinates
// sessions; does not depend on trials.
#pragma once

#include "core/result.h"
#include "tuner/sweep_job.h"

#include <atomic>
#include <functional>
#include <vector>

namespace warptune {

// If a job fails, its report has the error, and the sweep continues. Error: no device is usable, or the database is
// not. `stop`: as for a session.
Result<SweepResult> run_sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                              const std::function<void(const SweepProgress&)>& progress, const std::atomic<bool>& stop);

} // namespace warptune

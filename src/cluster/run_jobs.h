// A sweep's jobs as jobs of a run: their identity, expected cost, and the order in which processes claim them.
#pragma once

#include "cluster/run_folder.h"
#include "core/device.h"
#include "tuner/sweep_job.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warptune {

// SHA-256 over everything that determines what the jobs measure: kernel sources, problems and options, in job order.
std::string jobs_digest(const std::vector<SweepJob>& jobs);

// Returns the jobs with their expected seconds on this device: (configurations to try) x (30 ms + 100 launches at the
// roofline), but at most the budget's seconds. 30 ms is the cost of a configuration without its launches
// (docs/benchmarks.md). A job that the device cannot run costs 0 s.
std::vector<RunJob> list_jobs(const std::vector<SweepJob>& jobs, const DeviceInfo& device);

// Returns the indices of the jobs, the most expensive first, so that no long job begins when all others have ended.
std::vector<std::size_t> longest_first(const std::vector<RunJob>& jobs);

// Returns the key of the device's model, for file names: a short hash over backend, name, architecture and number of
// multiprocessors. Devices of the same model share the jobs of a run; every model does all jobs.
std::string model_key(const DeviceInfo& device);

} // namespace warptune

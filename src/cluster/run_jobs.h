// The jobs of a sweep in a run: their identity, their expected cost, and the order in which they are claimed.
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

// The expected seconds of a job on a device: (configurations to try) x (30 ms + 100 launches at the roofline), at most
// the budget's seconds. 30 ms is the cost of a configuration apart from its launches (docs/benchmarks.md). A job that
// the device cannot run costs 0 s.
std::vector<RunJob> list_jobs(const std::vector<SweepJob>& jobs, const DeviceInfo& device);

// Returns the indices of the jobs, the most expensive first, so that no long job begins when all others are done.
std::vector<std::size_t> longest_first(const std::vector<RunJob>& jobs);

// Returns the key of a device's model: a short hash of backend, name, architecture and number of multiprocessors, for
// file names. Devices of one model share the jobs of a run; each model does all jobs.
std::string model_key(const DeviceInfo& device);

} // namespace warptune

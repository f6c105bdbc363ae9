// The jobs of a sweep as a run sees them: what they are, how long they may take, and in which order they are claimed.
#pragma once

#include "cluster/run_folder.h"
#include "core/device.h"
#include "tuner/sweep_job.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warptune {

// SHA-256 over all that decides what the jobs measure: kernels' sources, problems and options, in their order.
std::string jobs_digest(const std::vector<SweepJob>& jobs);

// The expected seconds of a job on a device: (configurations to try) x (30 ms + 100 launches at the roofline), at most
// the budget's seconds. 30 ms are what a configuration costs besides its launches (docs/benchmarks.md). A job that the
// device cannot run costs nothing.
std::vector<RunJob> list_jobs(const std::vector<SweepJob>& jobs, const DeviceInfo& device);

// Indices of the jobs, the most expensive first. So a long job does not begin when all others are done.
std::vector<std::size_t> longest_first(const std::vector<RunJob>& jobs);

// Devices of one model share the jobs of a run, each other model does all of them: backend, name, architecture and
// number of multiprocessors. The key is a short hash of them, for names of files.
std::string model_key(const DeviceInfo& device);

} // namespace warptune

// The run folder: the files through which processes on several machines share a sweep, or one problem that is split
// over them.
//   run.json     the jobs with their estimated costs, and the lease; written once
//   claims/      which process works on which job (claim_board.h)
//   processes/   the processes and their heartbeats (run_process.h)
//   results/     databases, one or a few per process (local_results.h)
//   trials/      for a split problem: the trials that each process measured (trial_exchange.h)
//   device.json  for a split problem: the device for which all processes compute expected times
//   arrays/      the numbers of the job arrays that were submitted to Slurm (slurm.h)
//   frozen/      the copy of a submitted sweep (frozen_sweep.h)
//   logs/        the output of Slurm's tasks (slurm.h)
//   last-look    an empty file; its modification time says when a process last searched for lost claims (claims.h)
//   cancelled    if this file exists, no process begins or continues a job
// The lease is the time in seconds without a heartbeat after which a process counts as gone.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

inline constexpr double kDefaultLease_s = 60;
inline constexpr std::int64_t kMaxSplit = 1024;
inline constexpr double kSplitLease_s = 10; // short, because all processes wait for the trial of a lost process

inline constexpr std::size_t kFinalsJob = 0; // index of the job that is the finals of a split problem (split_search.h)

struct RunJob {
  std::string kernel, problem;
  double cost_s = 0; // expected seconds on a device; only the order and ratios of costs matter (run_jobs.h)
};

struct RunDescription {
  std::string sweep;  // the sweep as the user named it
  std::string digest; // the jobs_digest of the jobs
  double lease_s = kDefaultLease_s;
  std::string version; // version of the warptune that made the run
  std::vector<RunJob> jobs;
  std::string command; // the command that made the run, for messages; empty: not known
  int split = 0;       // number of devices that share the only job; 0: a sweep, where each job has one device
};

std::filesystem::path results_of(const std::filesystem::path& run);
std::filesystem::path trials_of(const std::filesystem::path& run);
bool is_run(const std::filesystem::path& folder);                    // whether the folder has a run.json
tl::unexpected<Error> damaged_run(const std::filesystem::path& run); // the error for a run.json that cannot be used

// Joins the run in the folder, or makes a new one. If several processes make a run at the same time, all get the same
// description. `list` is called only if there is no description yet. `lease_s`: nullopt means the lease of the run, or
// the default for a new run. `split`: RunDescription::split of a new run. Errors: bad_input if the jobs, the lease or a
// `split` above 0 differ from those of the run, or if a new run's folder has foreign files; database if the folder
// cannot be written. `command`: RunDescription::command of a new run.
Result<RunDescription> join_run(const std::filesystem::path& run, const std::string& sweep, const std::string& digest,
                                const std::function<std::vector<RunJob>()>& list, std::optional<double> lease_s,
                                int split = 0, const std::string& command = "");
// Errors (database): not a run, damaged, or made by a newer version.
Result<RunDescription> open_run(const std::filesystem::path& run);

} // namespace warptune

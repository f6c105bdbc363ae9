// The data of a sweep: its jobs and options, its progress, and the report of each job.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "tuner/session_result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

class SharedJobs;

struct SweepJob {
  std::shared_ptr<const Kernel> kernel; // many jobs share one kernel
  Problem problem;
  // The sweep uses strategy, budget, seed, timeouts, finals and measure. It ignores device, database, cache, worker,
  // resume and compile workers, and sets them itself.
  SessionOptions options;
};

struct SweepOptions {
  // Device names as for a session: "auto", "cuda:0", "replay:PATH". Devices of the same model share the jobs. If there
  // are several models, every job runs once on each.
  std::vector<std::string> devices{"auto"};
  std::filesystem::path database, cache_directory, worker_executable;
  bool resume = false;
  // Compile workers for all devices together. 0: the number of cores minus the number of devices, but at most 16 per
  // device.
  int compile_workers = 0;
  std::filesystem::path trace; // empty: no trace
  // If set, the sweep takes its jobs from here, and does not use `database` and `resume`. The result then has only the
  // jobs that this process ended.
  SharedJobs* shared = nullptr;
};

enum class JobState { waiting, running, finished, known, failed, interrupted }; // known: an earlier run had finished it

struct JobReport {
  std::size_t job = 0; // index into the sweep's jobs
  std::string device;  // a name in SweepOptions::devices
  JobState state = JobState::waiting;
  SessionResult result;       // empty unless the state is finished, known or interrupted
  std::optional<Error> error; // set if the state is failed
};

// Passed to the progress callback, which is called by one thread at a time.
struct SweepProgress {
  struct Running {
    std::size_t job = 0;
    std::string device;
    Progress progress;
  };
  std::vector<Running> running;     // one per busy device
  const JobReport* ended = nullptr; // the job that has just ended; null if none has
  std::size_t done = 0,
              total = 0; // `done`: number of jobs in a final state; `total` counts a job once per device model
  double elapsed_s = 0, eta_s = 0; // eta 0: not known
};

struct SweepResult {
  std::vector<JobReport> jobs; // grouped by device model, in the order of the jobs
  std::vector<std::string> notes;
  bool interrupted = false;
  double wall_s = 0;
};

} // namespace warptune

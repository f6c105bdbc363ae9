// A sweep as data: its jobs and options, its progress, and the report of each job.
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
  std::shared_ptr<const Kernel> kernel; // many jobs share one
  Problem problem;
  // The sweep uses strategy, budget, seed, timeouts, finals and measure. It ignores device, database, cache, worker,
  // resume and compile workers, because it sets them itself.
  SessionOptions options;
};

struct SweepOptions {
  // Device names as for a session: "auto", "cuda:0", "replay:PATH". Devices of one model share the jobs; every job runs
  // once per device model.
  std::vector<std::string> devices{"auto"};
  std::filesystem::path database, cache_directory, worker_executable;
  bool resume = false;
  // Number of compile workers for all devices together; 0: the cores minus one per device, at most 16 per device.
  int compile_workers = 0;
  std::filesystem::path trace; // empty: none
  // If set, the sweep takes its jobs from here. `database` and `resume` are then not used, and the result has only the
  // jobs that this process ended.
  SharedJobs* shared = nullptr;
};

enum class JobState { waiting, running, finished, known, failed, interrupted }; // known: finished by an earlier run

struct JobReport {
  std::size_t job = 0; // index into the given jobs
  std::string device;  // the device's name as in SweepOptions
  JobState state = JobState::waiting;
  SessionResult result;       // empty unless the state is finished, known or interrupted
  std::optional<Error> error; // if failed
};

// The callback receives it from one thread at a time.
struct SweepProgress {
  struct Running {
    std::size_t job = 0;
    std::string device;
    Progress progress;
  };
  std::vector<Running> running;     // one per busy device
  const JobReport* ended = nullptr; // the job that has just ended; null: none
  std::size_t done = 0, total = 0;  // number of jobs with any final state; `total` counts a job once per device model
  double elapsed_s = 0, eta_s = 0;  // eta 0: unknown
};

struct SweepResult {
  std::vector<JobReport> jobs; // reports grouped by device model, in the given order
  std::vector<std::string> notes;
  bool interrupted = false;
  double wall_s = 0;
};

} // namespace warptune

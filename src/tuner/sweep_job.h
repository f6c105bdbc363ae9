// A sweep as data: its jobs and options, what is shown of it meanwhile, and what comes of each job.
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

struct SweepJob {
  std::shared_ptr<const Kernel> kernel; // many jobs share one
  Problem problem;
  // Strategy, budget, seed, timeouts, finals and measure are the job's; device, database, cache, worker, resume and
  // compile workers are the sweep's and ignored here.
  SessionOptions options;
};

struct SweepOptions {
  // Names as for a session: "auto", "cuda:0", "replay:PATH". Devices of one model share the jobs; for each model every
  // job is done once.
  std::vector<std::string> devices{"auto"};
  std::filesystem::path database, cache_directory, worker_executable;
  bool resume = false;
  int compile_workers = 0; // for all devices together; 0: the cores that the devices' own processes leave, at most 16 a
                           // device
  std::filesystem::path trace; // empty: none
};

enum class JobState { waiting, running, finished, known, failed, interrupted }; // known: finished by an earlier run

struct JobReport {
  std::size_t job = 0; // into the jobs given
  std::string device;  // by name as in SweepOptions
  JobState state = JobState::waiting;
  SessionResult result;       // empty unless finished, known or interrupted
  std::optional<Error> error; // when failed
};

// Called from one thread at a time.
struct SweepProgress {
  struct Running {
    std::size_t job = 0;
    std::string device;
    Progress progress;
  };
  std::vector<Running> running;     // one per busy device
  const JobReport* ended = nullptr; // the job that has just ended, if one has
  std::size_t done = 0, total = 0;  // jobs, whatever came of them; total counts a job once per model of device
  double elapsed_s = 0, eta_s = 0;  // eta 0: unknown
};

struct SweepResult {
  std::vector<JobReport> jobs; // in the order given, by model of device
  std::vector<std::string> notes;
  bool interrupted = false;
  double wall_s = 0;
};

} // namespace warptune

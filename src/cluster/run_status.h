// The state of a run, for users. Reading the state changes nothing in the run folder, except the time of one file if
// that file is writable.
#pragma once

#include "cluster/claim_board.h"
#include "cluster/missing_results.h"
#include "cluster/run_folder.h"
#include "cluster/run_process.h"
#include "cluster/trial_exchange.h"
#include "core/result.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct RunStatus {
  struct Model {
    std::string key, name; // name: "NVIDIA H200"
    // Numbers of jobs. `lost`: jobs of processes that are gone; other processes will take these jobs over.
    std::size_t finished = 0, failed = 0, running = 0, lost = 0, waiting = 0;
    double left_s = 0; // seconds until the model's last job ends, at the current speed; 0: not known, or all ended
  };
  struct Process {
    std::string id;
    ProcessRecord record;
    bool alive = false;
    std::vector<std::size_t> jobs; // jobs that the process is working on
  };
  struct Failure {
    std::size_t job = 0;
    std::string model, error;
  };
  std::vector<Model> models; // models with a process or a claim; empty: nothing has begun, or `split` is set
  std::vector<Process> processes;
  std::vector<Failure> failures;
  // For a run that splits one problem over several devices. `models` is then empty.
  struct Split {
    std::int64_t trials = 0; // published so far
    double best_us = 0;      // from the finals or, before them, from the trials; 0: no correct trial yet
    std::string config;      // winner of the finals; empty: there is none yet
    ClaimBoard::State finals = ClaimBoard::State::free;
  };
  std::optional<Split> split;
  std::vector<MissingResult> missing; // empty if the run is not complete: finding them reads a file for each job
  bool merged = false;                // is_merged
  bool cancelled = false;
  std::vector<std::string> arrays; // submitted_arrays
  bool has_scripts = false;        // whether the run was made for Slurm
  bool own_clock = false;          // the folder cannot be written, so this machine's clock decides which processes live
  double jobs_per_h = 0, trials_per_s = 0; // sums over all living processes

  std::size_t alive() const;
  double left_s() const;    // time left for the slowest model; 0: not known, or all ended
  bool is_complete() const; // whether every job of every model has ended; split problem: whether the finals have ended
};

class RunWatch {
 public:
  static Result<RunWatch> open(const std::filesystem::path& run); // errors: those of open_run
  const RunDescription& description() const { return description_; }
  Result<RunStatus> look();

 private:
  RunWatch(std::filesystem::path run, RunDescription description);
  Result<std::vector<RunStatus::Process>> processes(bool& own_clock);
  Result<void> count(const ClaimBoard& board, RunStatus& status);
  Result<void> look_at_split(const ClaimBoard& board, RunStatus& status);
  Result<std::string> fact(const std::string& claim, const char* key);

  std::filesystem::path run_;
  RunDescription description_;
  std::map<std::string, std::string> texts_; // name -> content, for files that never change
  TrialExchange trials_;
  RunStatus::Split split_; // data read from trials_
};

// Whether merged.db, which the merge job writes, has all published results.
Result<bool> is_merged(const std::filesystem::path& run);

// Cancels the run until resume_run is called. All processes hand back their jobs and end, and no other process begins.
// The cancellation takes effect within a quarter of the lease.
Result<void> cancel_run(const std::filesystem::path& run);

} // namespace warptune

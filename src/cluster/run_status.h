// The state of a run, for display. Changes nothing in the run folder except the time of one file, if it may.
#pragma once

#include "cluster/claim_board.h"
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
    // Numbers of jobs. lost: claimed by a process that is gone, so another one takes them over.
    std::size_t finished = 0, failed = 0, running = 0, lost = 0, waiting = 0;
    double left_s = 0; // seconds until its last job is done, at the current speed; 0: not known, or done
  };
  struct Process {
    std::string id;
    ProcessRecord record;
    bool alive = false;
    std::vector<std::size_t> jobs; // the jobs it is working on
  };
  struct Failure {
    std::size_t job = 0;
    std::string model, error;
  };
  std::vector<Model> models; // models with a process or a claim; empty: nothing has begun, or see `split`
  std::vector<Process> processes;
  std::vector<Failure> failures;
  // For a problem that is split over several devices; `models` is then empty.
  struct Split {
    std::int64_t trials = 0; // published trials
    double best_us = 0;      // from the finals, or before them from the trials; 0: none is correct yet
    std::string config;      // the finals' winner; empty: they have no result
    ClaimBoard::State finals = ClaimBoard::State::free;
  };
  std::optional<Split> split;
  bool cancelled = false;
  bool submitted = false; // to Slurm
  bool own_clock = false; // the folder cannot be written, so the clock of this machine says who is alive
  double jobs_per_h = 0, trials_per_s = 0; // over the processes that are alive

  std::size_t alive() const;
  double left_s() const;    // for the slowest model; 0: not known, or done
  bool is_complete() const; // every job of every model has ended; for a split problem, the finals
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
  std::map<std::string, std::string> texts_; // contents of files that never change, by name
  TrialExchange trials_;
  RunStatus::Split split_; // the state read from trials_
};

// Makes all processes hand back their jobs and end, and stops new ones from beginning, until resume_run is called.
// Takes effect within a quarter of the lease.
Result<void> cancel_run(const std::filesystem::path& run);

} // namespace warptune

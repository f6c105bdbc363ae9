// `sweep --slurm`: submits a shared sweep to Slurm: a job array, and a job that merges the results.
#pragma once

#include "cli/options.h"
#include "cli/sweep_run.h"
#include "cluster/slurm.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct SlurmArgs {
  bool slurm = false;
  SlurmOptions options;
};

void add_slurm_options(Command& command, SlurmArgs& args);
// Error (bad_input): an option of Slurm without --slurm, or --slurm without --run.
Result<void> check_slurm_options(const SlurmArgs& args, const RunArgs& run);

// The sweep to submit, without the options of Slurm.
struct SlurmSweep {
  std::string name;           // of the sweep, as typed
  std::filesystem::path file; // from which the sweep is read
  const std::vector<SweepJob>& jobs;
  std::string device; // the first of --devices: the costs of the jobs are estimated for it
  std::vector<std::filesystem::path> templates;
  std::vector<std::string> also;    // --also
  std::vector<std::string> options; // words for the tasks, without --also: "--budget", "60s"
  bool resume = false, dry_run = false, json = false;
};

// With `dry_run`, prints the scripts and does nothing else. Otherwise freezes the sweep, unless it is frozen already,
// writes the scripts and submits them.
Result<int> submit_sweep(const SlurmSweep& sweep, SlurmArgs args, const RunArgs& run);

} // namespace warptune::cli

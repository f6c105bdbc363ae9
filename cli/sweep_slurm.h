// `sweep --slurm`: submits a shared sweep to Slurm as a job array, and a job that merges the results.
#pragma once

#include "cli/options.h"
#include "cli/sweep_run.h"
#include "cluster/slurm.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct SlurmArgs {
  bool slurm = false, no_submit = false;
  SlurmOptions options;
};

void add_slurm_options(Command& command, SlurmArgs& args);
// Error (bad_input): an option of Slurm without --slurm, or --slurm without --run.
Result<void> check_slurm_options(const SlurmArgs& args, const RunArgs& run);

// The sweep to submit, without Slurm's options.
struct SlurmSweep {
  std::string name;           // name of the sweep, as typed
  std::filesystem::path file; // the sweep's file
  const std::vector<SweepJob>& jobs;
  std::string device; // the first of --devices, for which the costs of the jobs are estimated
  std::vector<std::filesystem::path> templates;
  std::vector<std::string> also;    // --also
  std::vector<std::string> options; // words of the tasks' command line, without --also: "--budget", "60s"
  bool resume = false, dry_run = false, json = false;
};

// `dry_run`: only print the scripts. Otherwise freezes the sweep (unless it is frozen already), writes the scripts and,
// unless SlurmArgs::no_submit is set, submits them. With `resume`, options that are not given are those of the last
// submission.
Result<int> submit_sweep(const SlurmSweep& sweep, SlurmArgs args, const RunArgs& run);

} // namespace warptune::cli

// The options of `sweep`, as they were given.
#pragma once

#include "cli/asked_problem.h"
#include "cli/search_options.h"
#include "cli/sweep_run.h"
#include "cli/sweep_slurm.h"

#include <cstdint>
#include <string>

namespace warptune::cli {

struct SweepArgs {
  std::string file, db, devices, only, status, cancel, profile, objective, trace, compile_timeout, evaluate_timeout;
  FolderArgs folders;
  SearchArgs search;
  RunArgs run;
  SlurmArgs slurm;
  std::int64_t seed = -1; // -1: from the sweep file
  int compile_workers = 0;
  bool resume = false, dry_run = false, list = false, energy = false, baseline = false, allow_build = false,
       quiet = false, json = false, wide = false;
};

} // namespace warptune::cli

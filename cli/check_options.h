// The options of `check`, which `new` sets as well.
#pragma once

#include "cli/asked_problem.h"
#include "tuner/session_options.h"

#include <string>

namespace warptune::cli {

struct CheckArgs {
  ProblemArgs problem;
  std::string archs, sample, compile_timeout;
  std::string allowed;    // kinds of findings to turn into notes: "spill,idle-dim"
  SessionOptions session; // only those about compiling are used
  bool quiet = false, json = false, wide = false;
  std::string device = "auto", db; // the GPU to run on: also "none" or "cuda:N"
  std::string tools = "all";       // tools of compute-sanitizer: also "none" or "memcheck,racecheck"
  int run_sample = 2;              // configurations to run in addition to the defaults and the best
};

} // namespace warptune::cli

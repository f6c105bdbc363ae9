// The options of `check`. The command `new` sets them too, because it also runs a check.
#pragma once

#include "cli/asked_problem.h"
#include "tuner/session_options.h"

#include <string>

namespace warptune::cli {

struct CheckArgs {
  ProblemArgs problem;
  std::string archs, sample, compile_timeout;
  std::string allowed;    // kinds of findings that become notes: "spill,idle-dim"
  SessionOptions session; // only its options about compiling are used
  bool quiet = false, json = false, wide = false;
  std::string device = "auto", db; // device: the GPU to run on; "none" and "cuda:N" are possible too
  std::string tools = "all";       // tools of compute-sanitizer; "none" and "memcheck,racecheck" are possible too
  int run_sample = 2;              // how many configurations to run besides the defaults and the best
};

} // namespace warptune::cli

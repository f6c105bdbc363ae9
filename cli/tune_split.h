// `tune --split`: one problem on several devices, of this process or of processes that share a run folder.
#pragma once

#include "cli/asked_problem.h"
#include "cli/options.h"
#include "cli/sweep_run.h"
#include "cluster/split_search.h"
#include "tuner/session_options.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warptune::cli {

struct SplitArgs {
  RunArgs run;
  std::string devices;
  std::int64_t split = 0; // 0: not given
};

void add_split_options(Command& command, SplitArgs& args);

// Sets the devices of this process. Errors (bad_input): options that cannot be combined, or devices of several models;
// no_device: too few.
Result<void> choose_devices(const SplitArgs& args, SessionOptions& session);

// Joins the run, or makes it for this problem. With `resume`, a cancelled run continues, and failed candidates are
// tried again. Errors: those of join_run and SplitSearch::join; bad_input if the run was cancelled.
Result<std::unique_ptr<SplitSearch>> join_split(const SplitArgs& args, const Asked& asked,
                                                const SessionOptions& session, bool resume);

} // namespace warptune::cli

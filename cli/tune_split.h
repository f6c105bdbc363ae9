// `tune --split`: one problem is searched on several devices, of this process or of processes that share a run folder.
#pragma once

#include "cli/asked_problem.h"
#include "cli/options.h"
#include "cli/sweep_run.h"
#include "cluster/split_search.h"
#include "tuner/session_options.h"

#include <cstdint>
#include <memory>
#include <string>

namespace warptune::cli {

struct SplitArgs {
  RunArgs run;
  std::string devices;
  std::int64_t split = 0; // 0: the option was not given
};

void add_split_options(Command& command, SplitArgs& args);

// Sets this process's devices. Errors: bad_input if options cannot be combined, or the devices are of several models;
// no_device if there are too few.
Result<void> choose_devices(const SplitArgs& args, SessionOptions& session);

// Joins the run, or makes it for this problem. `resume`: continue a cancelled run, and try failed candidates again.
// Errors: those of join_run and SplitSearch::join; bad_input if the run was cancelled.
Result<std::unique_ptr<SplitSearch>> join_split(const SplitArgs& args, const Asked& asked,
                                                const SessionOptions& session, bool resume);

} // namespace warptune::cli

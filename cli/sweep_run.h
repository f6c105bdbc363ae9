// `sweep --run DIR`: processes on several machines share a sweep. Declares the options, and joins this process to the
// run.
#pragma once

#include "cli/options.h"
#include "cli/sweep_file.h"
#include "cluster/shard_number.h"
#include "cluster/shared_sweep.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

struct RunArgs {
  std::string run, shard, local, lease;
  std::string command;     // the whole command, for messages
  std::int64_t shards = 0; // 0: the option was not given
  bool given() const { return !run.empty(); }
};

void add_run_options(Command& command, RunArgs& args);

// Errors (bad_input): an option of a run without --run, or --run together with --db (`db`: the value of --db).
Result<void> check_run_options(const RunArgs& args, const std::string& db);

// Joins the run, or makes it for these jobs. `device`: the first device in the options, for which the costs of a new
// run's jobs are estimated. `resume`: try failed jobs again, and continue a cancelled run; `notes` gets a sentence for
// each of these two actions. Errors: those of join_run and SharedSweep::join; bad_input if the run was cancelled.
Result<std::unique_ptr<SharedSweep>> join_shared_run(const RunArgs& args, const std::string& sweep,
                                                     const std::vector<SweepJob>& jobs, const std::string& device,
                                                     bool resume, std::vector<std::string>& notes);
Result<std::optional<double>> read_lease(const RunArgs& args); // nullopt: not given; error (bad_input): too short
bool was_cancelled(const RunArgs& args);
// Returns the run's description, which is made if there is none.
Result<RunDescription> make_shared_run(const RunArgs& args, const std::string& sweep, const std::vector<SweepJob>& jobs,
                                       const std::string& device);

} // namespace warptune::cli

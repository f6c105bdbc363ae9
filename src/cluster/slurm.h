// Slurm: writes and submits a run's scripts. The state of the run is in the run folder and is not queried from Slurm,
// because sites differ in accounting, partitions and names of GPUs.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct SlurmOptions {
  std::string partition, gpus, gres, time, account; // as for sbatch; empty: not given
  std::int64_t cores = 0;                           // CPU cores per task; 0: not given
  std::int64_t tasks = 0;                           // number of tasks in the array
  std::int64_t array_limit = 0;                     // tasks that run at the same time; 0: no limit
  std::vector<std::string> more;                    // other sbatch options, as typed: "--constraint=h200"
  std::vector<std::string> merge;                   // sbatch options of the merge job
  std::int64_t shards = 0;                          // --shards; 0: not given
  std::vector<std::string> sweep;                   // options of the sweep: "--budget", "60s"
};

// The files and commands that the scripts name. The paths are absolute.
struct SlurmScripts {
  std::filesystem::path run, program, templates;
  std::vector<std::string>
      words; // the sweep's command line without program and --run: "sweep", "/run/frozen/sweep.json", ...
};

// These functions return shell scripts that users can read, change and submit themselves.
std::string array_script(const SlurmScripts& scripts, const SlurmOptions& options);
std::string merge_script(const SlurmScripts& scripts, const SlurmOptions& options);

// Writes both scripts into the run folder, and copies of them into frozen/. A script that differs from its copy was
// changed by a user, and is kept. Returns the names of the scripts that were kept.
Result<std::vector<std::string>> write_scripts(const SlurmScripts& scripts, const SlurmOptions& options);
// Stores the options in frozen/, without `tasks`, for the next submission.
Result<void> store_options(const std::filesystem::path& run, const SlurmOptions& options);
// Returns the options of the last submission; nullopt if there are none.
Result<std::optional<SlurmOptions>> stored_options(const std::filesystem::path& run);

std::filesystem::path array_file(const std::filesystem::path& run);
std::filesystem::path merge_file(const std::filesystem::path& run);
std::filesystem::path logs_of(const std::filesystem::path& run);         // output of the tasks and of the merge job
std::filesystem::path merged_database(const std::filesystem::path& run); // the result of the merge job

// Returns Slurm's numbers of the submitted job arrays, ascending.
Result<std::vector<std::string>> submitted_arrays(const std::filesystem::path& run);
bool was_submitted(const std::filesystem::path& run); // whether the run folder has the number of a job array

// Error (bad_input): this machine has no sbatch.
Result<void> find_sbatch();

struct SlurmJobs {
  std::string array, merge; // Slurm's job numbers
};

// Submits the run's two scripts, as an array of `tasks` tasks and a job that merges, and stores the job numbers in the
// run folder. Error (bad_input): sbatch refuses a script.
Result<SlurmJobs> submit_run(const std::filesystem::path& run, std::int64_t tasks, std::int64_t array_limit);
// Returns the submitted arrays that have tasks in these states in Slurm's queue. `states`: as for squeue. Error
// (bad_input): squeue fails.
Result<std::vector<std::string>> queued_arrays(const std::filesystem::path& run, const std::string& states);
// Removes the tasks that have not begun from Slurm's queue. Running tasks end by themselves when the run is cancelled.
// Returns the job numbers of the arrays from which it removed tasks. Error (bad_input): squeue or scancel fails.
Result<std::vector<std::string>> cancel_waiting(const std::filesystem::path& run);

} // namespace warptune

// Slurm: writes and submits the scripts of a run. It does not query Slurm's tables, because sites differ in accounting,
// partitions and GPU names; the state is in the run folder.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct SlurmOptions {
  std::string partition, gpus, gres, time, account; // as for sbatch; empty: not given
  std::int64_t tasks = 0;                           // tasks of the array
  std::int64_t array_limit = 0;                     // tasks that run concurrently; 0: no limit
  std::vector<std::string> more;                    // further sbatch options, as typed: "--constraint=h200"
};

// Paths are absolute.
struct SlurmScripts {
  std::filesystem::path run, program, templates;
  std::vector<std::string>
      words; // the sweep's command line without the program and --run: "sweep", "/run/frozen/sweep.json", ...
};

// Return shell scripts that users can read, change and submit themselves.
std::string array_script(const SlurmScripts& scripts, const SlurmOptions& options);
std::string merge_script(const SlurmScripts& scripts, const SlurmOptions& options);

std::filesystem::path array_file(const std::filesystem::path& run);
std::filesystem::path merge_file(const std::filesystem::path& run);

bool was_submitted(const std::filesystem::path& run); // whether it has the number of an array

struct SlurmJobs {
  std::string array, merge; // job numbers
};

// Submits the run's two scripts, the array with `tasks` tasks, and stores their job numbers in the run folder. Errors
// (bad_input): no sbatch on this machine, or it refuses a script.
Result<SlurmJobs> submit_run(const std::filesystem::path& run, std::int64_t tasks, std::int64_t array_limit);
// Removes the tasks that have not begun from Slurm's queue; running tasks end by themselves when the run is cancelled.
// Returns the job numbers of the arrays that had such tasks. Error (bad_input): squeue or scancel fails.
Result<std::vector<std::string>> cancel_waiting(const std::filesystem::path& run);

} // namespace warptune

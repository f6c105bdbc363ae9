// Converts the options that affect a sweep's jobs or measurements to words of a command line. A submitted sweep passes
// these words to its tasks, and stores them for `--resume`.
#pragma once

#include "cli/sweep_args.h"

#include <string>
#include <vector>

namespace warptune::cli {

// "--budget", "60s", ...: only options that were given. If an option is missing here, the tasks refuse to join, because
// their jobs are not those of the run.
std::vector<std::string> words_for_tasks(SweepArgs o);

// Sets each option that the user did not give to its value in `words` (from words_for_tasks at the last submission).
void add_stored_words(SweepArgs& o, const std::vector<std::string>& words);

} // namespace warptune::cli

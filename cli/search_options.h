// The search options of `tune` and of the jobs of a `sweep`: strategy with its options, budget, stop rules, prior
// knowledge. Converts them from the command line to options of a session. The file of a sweep has its own reader
// (cli/sweep_options.h).
#pragma once

#include "cli/options.h"
#include "tuner/session.h"

#include <string>

namespace warptune::cli {

struct SearchArgs {
  std::string strategy, budget, target, stop_below, knowledge = "all";
};

void add_search_options(Command& command, SearchArgs& args);
// Adds the same options to `sweep`. An option overrides the sweep's file; if it is not given, the file's value is used.
void add_job_search_options(Command& command, SearchArgs& args);

// Errors (bad_input): values that cannot be read, an unknown strategy or option. If no strategy is given, uses the one
// that default_strategy returns (cli/option_values.h).
Result<void> read_search_options(const SearchArgs& args, SessionOptions& options);

// Reads a time limit: "90s", "2m" or a number of seconds; an empty text leaves `seconds` unchanged. Error (bad_input):
// not a time, or longer than a day.
Result<void> read_timeout(const std::string& text, const char* option, double& seconds);

// Reads --target and --stop-below. Rules that are not given stay as they are. Error (bad_input): values that cannot be
// read.
Result<void> read_stop_rules(const SearchArgs& args, StopRules& rules);

// Returns why the search ended, as a sentence for people: "the strategy expects an improvement below 1 %".
std::string ending_sentence(Ending ending, const SessionOptions& options, std::int64_t space_size);

} // namespace warptune::cli

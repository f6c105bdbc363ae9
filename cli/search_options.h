// The search options of `tune` and of the jobs of a `sweep`: strategy with its options, budget, stop rules, prior
// knowledge. Converts the command line to the session's options. A sweep's file has its own reader
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
// Adds the same options to `sweep`. Each overrides the file; without an option, the file's value is used.
void add_job_search_options(Command& command, SearchArgs& args);

// Errors (kind bad_input): unreadable values, an unknown strategy or option. If no strategy is named: every
// configuration in order, or the default strategy with a budget or a stop rule.
Result<void> read_search_options(const SearchArgs& args, SessionOptions& options);

// A timeout as typed, "90s", "2m" or plain seconds; empty leaves `seconds` unchanged. Error (kind bad_input): not a
// timeout, or longer than a day.
Result<void> read_timeout(const std::string& text, const char* option, double& seconds);

// Reads --target and --stop-below; rules that are not given stay. Errors (kind bad_input): unreadable values.
Result<void> read_stop_rules(const SearchArgs& args, StopRules& rules);

// Returns why the search ended, for a reader: "the strategy expects an improvement below 1 %".
std::string ending_sentence(Ending ending, const SessionOptions& options);

} // namespace warptune::cli

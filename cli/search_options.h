// How `tune` and the jobs of a `sweep` search: strategy and its options, budget, when it is good enough, what it knows
// beforehand. From the command line to the session's options. A sweep's file has its own reader (cli/sweep_options.h).
#pragma once

#include "cli/options.h"
#include "tuner/session.h"

#include <string>

namespace warptune::cli {

struct SearchArgs {
  std::string strategy, budget, target, stop_below, knowledge = "all";
};

void add_search_options(Command& command, SearchArgs& args);
// The same words for `sweep`, where each stands above what the file says; nothing is what the file says.
void add_job_search_options(Command& command, SearchArgs& args);

// Errors (kind bad_input): what cannot be read, an unknown strategy or option. Without a strategy: every configuration
// in order, or with a budget or a rule the default strategy.
Result<void> read_search_options(const SearchArgs& args, SessionOptions& options);

// A timeout as typed, "90s", "2m" or plain seconds; empty: `seconds` stays. Error (kind bad_input): it is not one of up
// to a day.
Result<void> read_timeout(const std::string& text, const char* option, double& seconds);

// --target and --stop-below; what is not given stays. Errors (kind bad_input): what cannot be read.
Result<void> read_stop_rules(const SearchArgs& args, StopRules& rules);

// "the strategy expects less than 1 % from what was not tried": what ended the search, for a reader.
std::string ending_sentence(Ending ending, const SessionOptions& options);

} // namespace warptune::cli

// Parses values of options that several commands have.
#pragma once

#include "core/result.h"
#include "tuner/session.h"

#include <string>

namespace warptune::cli {

// Returns the strategy of a session for which the user names no strategy: exhaustive or, if the search may end early,
// the default strategy. A search that may end early must not try configurations in their order, because it would then
// see only one corner of the space.
std::string default_strategy(const Budget& budget, const StopRules& rules);

// Reads --profile: none, best or all.
Result<void> read_profile_scope(const std::string& text, ProfileScope& scope);

// Parses "2%" or "2" as 0.02. `option`: for errors, such as "--cover". A number below 0.1 without a percent sign is an
// error, because the user may mean a fraction: 0.02 for 2%.
Result<double> parse_percent(const std::string& text, const char* option);

} // namespace warptune::cli

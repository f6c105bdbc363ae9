// Parses values of options that several commands have.
#pragma once

#include "core/result.h"
#include "tuner/session.h"

#include <string>

namespace warptune::cli {

// The strategy of a session that does not name one: exhaustive, or the default strategy if the search may end early. A
// search that may end early does not take configurations in order, because the first ones would cover only one corner
// of the space.
std::string default_strategy(const Budget& budget, const StopRules& rules);

// Reads --profile none, best or all.
Result<void> read_profile_scope(const std::string& text, ProfileScope& scope);

// "2%" or "2" -> 0.02. Errors: "'x' is not a WHAT from 0% to 100%, such as 2%"; less than 0.1 without a percent sign,
// which may be meant as a share of 1: "'0.03' is ambiguous as a WHAT: write 0.03% or 3%".
Result<double> parse_percent(const std::string& text, const std::string& what);

} // namespace warptune::cli

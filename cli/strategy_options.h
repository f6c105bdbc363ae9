// Strategies as they are named on the command line: --strategy and --strategy-option.
#pragma once

#include "search/strategy.h"

#include <string>
#include <vector>

namespace warptune::cli {

// "NAME=VALUE" each; the values are checked by make_strategy.
Result<OptionValues> parse_strategy_options(const std::vector<std::string>& words);

// "all" or "a,b": names of registered strategies, each once.
Result<std::vector<std::string>> parse_strategy_list(const std::string& text);

} // namespace warptune::cli

// Converts an error of the parser to one sentence that names the nearest command or option.
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// `args`: the words that the parser was given.
Error usage_error(const Command& app, const std::vector<std::string>& args, const Command::Complaint& complaint);
// `args`: as typed, without the program's name. Returns nullopt if `args` begin with an option or an existing command.
std::optional<Error> unknown_command(const Command& app, const std::vector<std::string>& args);
// Returns the error of an option that is before its command: "warptune --json show best". `words`: as typed, beginning
// with the program's name.
std::optional<Error> misplaced_option(const Command& app, const std::vector<std::string>& words);
Error missing_command(const Command& app);
// Returns the error of an option of the chosen command whose value is empty: --run "$UNSET".
std::optional<Error> empty_value(const Command& app);

} // namespace warptune::cli

// Turns an error of the parser into one sentence that names the nearest command or option.
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// `args`: the words that were parsed.
Error usage_error(const Command& app, const std::vector<std::string>& args, const Command::Complaint& complaint);
// `args` as typed, without the program's name; nullopt if they begin with an option or an existing command.
std::optional<Error> unknown_command(const Command& app, const std::vector<std::string>& args);
// The error in `words` if they name an option of a command before the command ("warptune --json show best"). `words`:
// the program's name first.
std::optional<Error> misplaced_option(const Command& app, const std::vector<std::string>& words);
Error missing_command(const Command& app);

} // namespace warptune::cli

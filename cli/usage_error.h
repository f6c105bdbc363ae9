// Turns an error of the parser into one sentence that names the nearest command or option.
#pragma once

#include "cli/options.h"
#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

Error usage_error(const Command& app, const Command::Complaint& complaint);
// `args` as typed, without the program's name; nullopt if they begin with an option or an existing command.
std::optional<Error> unknown_command(const Command& app, const std::vector<std::string>& args);
Error missing_command(const Command& app);

} // namespace warptune::cli

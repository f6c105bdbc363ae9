// CLI11's complaints as one sentence of ours, with the nearest command or option.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): theirs
class App;
class ParseError;
} // namespace CLI

namespace warptune::cli {

Error usage_error(const CLI::App& app, const CLI::ParseError& error);
// `args` as typed, without the program's name: nothing when they begin with an option or a command that there is.
std::optional<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& args);
Error missing_command(const CLI::App& app);

} // namespace warptune::cli

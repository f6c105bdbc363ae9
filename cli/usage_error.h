// CLI11's complaints as one sentence of ours, with the nearest command or option.
#pragma once

#include "core/result.h"

namespace CLI { // NOLINT(readability-identifier-naming): theirs
class App;
class ParseError;
} // namespace CLI

namespace warptune::cli {

Error usage_error(const CLI::App& app, const CLI::ParseError& error);
Error missing_command(const CLI::App& app);

} // namespace warptune::cli

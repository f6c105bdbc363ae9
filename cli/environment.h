// Checks the environment variables that all commands use.
#pragma once

#include "core/result.h"

namespace warptune::cli {

// Errors (bad_input): WARPTUNE_DB_TIMEOUT is not a time, or a folder in WARPTUNE_TEMPLATES does not exist.
Result<void> check_environment();

} // namespace warptune::cli

// Makes text safe for a terminal: core/sanitize.h under the names that commands use.
#pragma once

#include "core/sanitize.h"

namespace warptune::cli {

using warptune::sanitize;
using warptune::sanitize_lines;

// Returns the first line that is not blank, without changes.
std::string first_line(const std::string& text);

} // namespace warptune::cli

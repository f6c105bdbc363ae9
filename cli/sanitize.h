// Sanitises text for a terminal, with the functions of core/sanitize.h under the names that commands use.
#pragma once

#include "core/sanitize.h"

namespace warptune::cli {

using warptune::sanitize;
using warptune::sanitize_lines;

// Returns the first line that is not blank, unchanged.
std::string first_line(const std::string& text);

} // namespace warptune::cli

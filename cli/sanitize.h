// Text on its way to a terminal (core/sanitize.h), in the words of the commands.
#pragma once

#include "core/sanitize.h"

namespace warptune::cli {

using warptune::sanitize;
using warptune::sanitize_lines;

// The first line that is not blank, as it is.
std::string first_line(const std::string& text);

} // namespace warptune::cli

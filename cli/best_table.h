// The winners of `show best` as a table. If the table is wider than the terminal, each winner's configuration is
// printed on a line of its own below the winner. That line has only the values that differ from the default.
#pragma once

#include "db/records.h"

#include <string>
#include <vector>

namespace warptune::cli {

// `width`: 0 if the output is not a terminal. `wide`: print the whole table even if the terminal is narrower.
std::string render_best(const std::vector<BestRecord>& rows, int width, bool wide);

// Returns the parts of `config` (such as "THREADS=128,ORDER=1") that are not in `default_config`. Returns all parts if
// the implementations differ or the default is not known, and "the default configuration" if nothing differs.
std::string changed_values(const std::string& config, const std::string& default_config);

} // namespace warptune::cli

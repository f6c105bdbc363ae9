// The winners of `show best` as a table. If it is wider than the terminal, each winner's configuration is on its own
// line below, as the values that differ from the default's.
#pragma once

#include "db/records.h"

#include <string>
#include <vector>

namespace warptune::cli {

// `width` 0: no terminal. `wide`: prints the whole table even on a narrow terminal.
std::string render_best(const std::vector<BestRecord>& rows, int width, bool wide);

// Returns the parts of `config`, such as "THREADS=128,ORDER=1", that are not in `default_config`; all parts if another
// implementation is used or the default is not known. "the default configuration" if they are equal.
std::string changed_values(const std::string& config, const std::string& default_config);

} // namespace warptune::cli

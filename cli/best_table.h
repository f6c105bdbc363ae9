// The winners of `show best` as a table. Where it is wider than the terminal, the configuration stands on a line of its
// own below each winner, as the values that differ from the default's.
#pragma once

#include "db/records.h"

#include <string>
#include <vector>

namespace warptune::cli {

// `width` 0: no terminal. `wide`: the whole table, however narrow the terminal is.
std::string render_best(const std::vector<BestRecord>& rows, int width, bool wide);

// "THREADS=128,ORDER=1", the parts of `config` that are not in `default_config`; all of it where another implementation
// is used or the default is not known. "the default configuration" where nothing differs.
std::string changed_values(const std::string& config, const std::string& default_config);

} // namespace warptune::cli

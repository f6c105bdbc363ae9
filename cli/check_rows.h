// The configurations that `check` compiled, with the resources of a multiprocessor that each uses: as a table and as
// JSON.
#pragma once

#include "cli/check_report.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

// A table for each architecture, the worst configurations first: those that spill, then those with the fewest resident
// warps, then those with the most registers. `wide`: all configurations, and nothing is cut; otherwise the ten worst.
std::string render_check_rows(const CheckReport& report, int width, bool wide);

// All configurations of a problem that can be launched, in the order of the table, each with all its launches.
nlohmann::json check_rows_json(const CheckReport& report, const CheckedProblem& one);

} // namespace warptune::cli

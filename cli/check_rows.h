// The configurations that `check` compiled, and the multiprocessor resources that each configuration needs, as a table
// and as JSON.
#pragma once

#include "cli/check_report.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

// Returns a table for each architecture with the worst configurations first: those that spill, then those with the
// fewest resident warps, then those with the most registers. `wide`: all configurations, without cutting; otherwise
// only the ten worst.
std::string render_check_rows(const CheckReport& report, int width, bool wide);

// Returns all configurations of a problem that can be launched, in the order of the table, each with all its launches.
nlohmann::json check_rows_json(const CheckReport& report, const CheckedProblem& one);

} // namespace warptune::cli

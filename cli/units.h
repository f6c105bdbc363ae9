// Formats the numbers that only commands print; core/units.h formats all others.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune::cli {

using warptune::bytes_text;
using warptune::count_text;
using warptune::energy_text;
using warptune::rate_text;
using warptune::share_text;
using warptune::status_text;
using warptune::tflops_text;
using warptune::three_digits;
using warptune::time_text;

std::string duration_text(double seconds); // "4 s", "1m05s", "2h03m"
// Returns "71.6 M" or "4.29 GB"; "-" for 0.
std::string amount_text(double value, const std::string& unit);

std::int64_t failure_count(const std::map<TrialStatus, std::int64_t>& by_status);
// Returns "2 compile failed, 1 wrong result"; empty if nothing failed.
std::string failures_text(const std::map<TrialStatus, std::int64_t>& by_status);

} // namespace warptune::cli

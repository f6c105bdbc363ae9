// Writes a view's trials as columns of equal length, which are the largest part of a report's JSON.
#pragma once

#include "report/view.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::report {

nlohmann::ordered_json positive(double value); // six significant digits; null if not positive, which means "not known"

// Adds "statuses", "evidences", "metrics" and "trials".
void add_trials(nlohmann::ordered_json& out, const View& view, const std::map<std::string, std::string>& meanings);

} // namespace warptune::report

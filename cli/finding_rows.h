// Prints findings as lines ("kernel.cu:12: warning: ... [spill]") and as JSON.
#pragma once

#include "core/finding.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

// Returns one line per finding, warnings first, with the architecture, problem and configuration that it is about.
std::string render_findings(std::vector<Finding> findings);
std::string findings_text(const std::vector<Finding>& findings); // a summary: "2 warnings, 1 note"

nlohmann::json findings_json(const std::vector<Finding>& findings);

} // namespace warptune::cli

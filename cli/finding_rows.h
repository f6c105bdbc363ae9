// Findings as lines ("kernel.cu:12: warning: ... [spill]") and as JSON.
#pragma once

#include "core/finding.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

// Warnings first. Each finding is one line, with the architecture, problem and configuration that it is about.
std::string render_findings(std::vector<Finding> findings);
std::string findings_text(const std::vector<Finding>& findings); // "2 warnings, 1 note"

nlohmann::json findings_json(const std::vector<Finding>& findings);

} // namespace warptune::cli

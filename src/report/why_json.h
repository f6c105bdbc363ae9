// Writes a comparison of two configurations as JSON, for `warptune why --json` and for reports. Pure.
#pragma once

#include "report/why.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::report {

// Returns {"a", "b": {"limit", ..., "time_us"}, "ratio", "resources", "stalls", "lines", "cause", "verdict"}.
// `measured`: how the ratio was measured. Texts are not sanitised.
nlohmann::ordered_json why_json(const WhyFacts& facts, const Why& why, const std::string& measured);

} // namespace warptune::report

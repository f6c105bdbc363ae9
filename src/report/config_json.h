// A stored configuration as a JSON object, for reports and for the commands with --json. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::report {

// "WIDTH=4,mode=fast" -> {"WIDTH": 4, "mode": "fast"}.
nlohmann::json config_json(const std::string& text);

} // namespace warptune::report

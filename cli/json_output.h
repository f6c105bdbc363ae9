// The output of --json: one object on standard output, names as in the C++ types, units in the names. Unknown numbers
// are null. Members that only a database has are left out for results from elsewhere. An error is {"error":
// {"kind", "code", "message"}}, and its sentence is on standard error as well.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "db/records.h"
#include "predict/roofline.h"
#include "predict/select.h"
#include "spec/problem.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

nlohmann::json to_json(const DeviceInfo& device);
nlohmann::json to_json(const Roofs& roofs);
nlohmann::json to_json(const Timing& timing);
nlohmann::json to_json(const Verdict& verdict);
nlohmann::json to_json(const Trial& trial);
nlohmann::json to_json(const PowerReading& power);
nlohmann::json to_json(const BestRecord& best);
nlohmann::json to_json(const CheckRecord& check);
nlohmann::json to_json(const SessionRecord& session, const TrialCounts& trials);
nlohmann::json to_json(const RooflinePoint& point);
nlohmann::json to_json(const std::map<TrialStatus, std::int64_t>& by_status);
nlohmann::json config_json(const KernelSpec& spec, const Config& config);    // {"VEC": 4}
nlohmann::json problem_json(const KernelSpec& spec, const Problem& problem); // dims, dtype, flags, key

const char* kind_name(ErrorKind kind);

nlohmann::json error_json(const Error& error);

void print_json(const nlohmann::json& value);
void print_json_error(const Error& error);

// A count that is stored as a floating-point number: an integer if it fits.
nlohmann::json count_json(double count);

// Converts a stored configuration, "WIDTH=4,mode=fast", to an object: {"WIDTH": 4, "mode": "fast"}. Members called
// "config_text" hold the text itself.
nlohmann::json config_json(const std::string& text);

} // namespace warptune::cli

// What --json prints: one object on standard output, names as in the C++ types, units in the names. Numbers that are
// not known are null; what a result has from the database is left out where it does not come from there. An error is
// {"error": {"kind", "code", "message"}}, with the sentence on standard error as well.
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
nlohmann::json to_json(const SessionRecord& session);
nlohmann::json to_json(const RooflinePoint& point);
nlohmann::json to_json(const std::map<TrialStatus, std::int64_t>& by_status);
nlohmann::json config_json(const KernelSpec& spec, const Config& config);    // {"VEC": 4}
nlohmann::json problem_json(const KernelSpec& spec, const Problem& problem); // dims, dtype, flags, key

const char* kind_name(ErrorKind kind);

nlohmann::json error_json(const Error& error);

void print_json(const nlohmann::json& value);
void print_json_error(const Error& error);

// A number of things that is counted in floating point: an integer where it fits.
nlohmann::json count_json(double count);

// A configuration as it is stored, "WIDTH=4,mode=fast": numbers are numbers. The text itself is "config_text"
// everywhere.
nlohmann::json config_json(const std::string& text);

} // namespace warptune::cli

// The output of --json: one object on standard output. Members are named as in the C++ types, with units. Unknown
// numbers are null. Members that need a database are missing from results that do not come from a database. An error is
// {"error": {"kind", "code", "message"}}; the message is also printed on standard error.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "db/records.h"
#include "predict/roofline.h"
#include "report/config_json.h"
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

// Null if the value is not known: if a number is not positive, or a text is empty.
nlohmann::json or_null(double number);
nlohmann::json or_null(std::int64_t number);
nlohmann::json or_null(const std::string& text);

void print_json(const nlohmann::json& value);
void print_json_error(const Error& error);

// Converts a count, stored as a floating-point number, to an integer if it is small enough.
nlohmann::json count_json(double count);

using report::config_json; // of a stored configuration

} // namespace warptune::cli

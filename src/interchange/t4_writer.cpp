#include "interchange/recorded_row.h"
#include "interchange/t4_results.h"

#include <cmath>
#include <fmt/format.h>

namespace warptune {
namespace {

void append_duration(std::string& out, std::string_view name, double ms) {
  if (std::isfinite(ms)) out += fmt::format(R"("{}": {}, )", name, ms);
}

void append_result(std::string& out, const RecordedSpace& space, const Positions& at, const RecordedOutcome& o) {
  const bool ok = o.status == TrialStatus::ok;
  out += "{";
  if (!o.timestamp.empty()) out += R"("timestamp": )" + json_text(o.timestamp) + ", ";
  out += R"("configuration": {)";
  for (std::size_t p = 0; p < at.size(); ++p)
    out += (p > 0 ? ", " : "") + json_text(space.params[p].name) + ": " +
           json_text(space.params[p].values[static_cast<std::size_t>(at[p])]);
  out += R"(}, "times": {)";
  append_duration(out, "compilation_time", o.compile_ms);
  append_duration(out, "benchmark", o.benchmark_ms);
  append_duration(out, "framework", o.framework_ms);
  append_duration(out, "search_algorithm", o.search_ms);
  append_duration(out, "validation", o.verify_ms);
  out += fmt::format(R"("runtimes": [{}]}}, "invalidity": "{}", "correctness": {}, "measurements": [)",
                     fmt::join(o.samples_ms, ", "), invalidity(o.status), ok ? 1 : 0);
  std::string measurements;
  if (ok) measurements = fmt::format(R"({{"name": "time", "value": {}, "unit": "ms"}})", o.time_ms);
  for (const auto& [metric, value] : o.metrics) {
    const RecordedMetric& m = space.metrics[static_cast<std::size_t>(metric)];
    if (std::isfinite(value))
      measurements += fmt::format(R"({}{{"name": {}, "value": {}, "unit": {}}})", measurements.empty() ? "" : ", ",
                                  json_text(m.name), value, json_text(m.unit));
  }
  out += measurements + R"(], "objectives": [)" + json_text(space.objective) + "]}";
}

} // namespace

std::string write_t4_results(const RecordedSpace& space) {
  std::string out = "{\n\"metadata\": {\"timeunit\": \"milliseconds\"";
  if (!space.device.empty()) out += R"(, "device": )" + json_text(space.device);
  if (!space.tuner.empty()) out += R"(, "autotuner": )" + json_text(space.tuner);
  out += "},\n\"schema_version\": \"1.0.0\",\n\"results\": [";
  Positions at;
  for (ConfigIndex i = 0; i < space.space.size(); ++i) {
    space.space.positions(i, at);
    out += i > 0 ? ",\n" : "\n";
    append_result(out, space, at, space.at(i));
  }
  return out + "]\n}\n";
}

} // namespace warptune

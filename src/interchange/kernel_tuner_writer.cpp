#include "core/text.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/recorded_row.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace warptune {
namespace {

constexpr const char* kNoTime = "1970-01-01T00:00:00+00:00";

// Python's str(), which the keys of a cache consist of.
std::string python_text(const ParamLabel& label) {
  if (label.kind == ParamLabel::Kind::boolean) return label.text == "true" ? "True" : "False";
  return label.text;
}

// The schema's problem size: integers or text.
std::string problem_size(const RecordedSpace& space) {
  if (space.problem.empty()) return "\"\"";
  const bool numbers = space.problem.find_first_not_of("0123456789,[]-") == std::string::npos;
  return numbers || space.problem.front() == '"' ? space.problem : json_text(space.problem);
}

std::string entry_key(const RecordedSpace& space, const Positions& at) {
  std::string key;
  for (std::size_t p = 0; p < at.size(); ++p)
    key += (p > 0 ? "," : "") + python_text(space.params[p].values[static_cast<std::size_t>(at[p])]);
  return key;
}

// All values of an entry share one object, so names that a T4 file keeps apart could collide.
Result<void> check_names(const RecordedSpace& space) {
  std::set<std::string_view> names;
  const auto check = [&](std::string_view what, const std::string& name) -> Result<void> {
    if (!is_kernel_tuner_field(name) && names.insert(name).second) return {};
    return fail(ErrorKind::bad_input,
                fmt::format("the {0} {1} has a name that an entry of a Kernel Tuner cache already "
                            "uses for another field; rename the {0}, or use --format t4",
                            what, quote(name)));
  };
  for (const RecordedParam& param : space.params) WT_CHECK(check("parameter", param.name));
  for (const RecordedMetric& metric : space.metrics) WT_CHECK(check("measurement", metric.name));
  return {};
}

void append_entry(std::string& out, const RecordedSpace& space, const Positions& at, const RecordedOutcome& o) {
  const auto number = [&](std::string_view name, double value) {
    out += fmt::format(R"("{}": {}, )", name, std::isfinite(value) ? fmt::format("{}", value) : "0");
  };
  out += json_text(entry_key(space, at)) + ": {";
  for (std::size_t p = 0; p < at.size(); ++p)
    out += json_text(space.params[p].name) + ": " + json_text(space.params[p].values[static_cast<std::size_t>(at[p])]) +
           ", ";
  out += o.status == TrialStatus::ok ? fmt::format(R"("time": {}, )", o.time_ms)
                                     : fmt::format(R"("time": "{}", )", kernel_tuner_failure(o.status));
  if (!o.samples_ms.empty()) out += fmt::format(R"("times": [{}], )", fmt::join(o.samples_ms, ", "));
  number("compile_time", o.compile_ms);
  number("verification_time", o.verify_ms);
  number("benchmark_time", o.benchmark_ms);
  for (const auto& [metric, value] : o.metrics)
    out += json_text(space.metrics[static_cast<std::size_t>(metric)].name) + ": " + json_number(value) + ", ";
  number("strategy_time", o.search_ms);
  number("framework_time", o.framework_ms);
  out += R"("timestamp": )" + json_text(o.timestamp.empty() ? kNoTime : std::string_view(o.timestamp)) + "}";
}

} // namespace

Result<std::string> write_kernel_tuner_cache(const RecordedSpace& space) {
  WT_CHECK(check_names(space));
  std::string out = fmt::format("{{\n\"schema_version\": \"1.0.0\",\n\"device_name\": {},\n\"kernel_name\": {},\n"
                                "\"problem_size\": {},\n\"tune_params_keys\": [",
                                json_text(space.device), json_text(space.kernel), problem_size(space));
  std::string values;
  for (std::size_t p = 0; p < space.params.size(); ++p) {
    const char* comma = p > 0 ? ", " : "";
    out += comma + json_text(space.params[p].name);
    values += comma + json_text(space.params[p].name) + ": [";
    for (std::size_t v = 0; v < space.params[p].values.size(); ++v)
      values += (v > 0 ? ", " : "") + json_text(space.params[p].values[v]);
    values += "]";
  }
  out += fmt::format("],\n\"tune_params\": {{{}}},\n\"objective\": {},\n\"cache\": {{", values,
                     json_text(space.objective));
  Positions at;
  for (ConfigIndex i = 0; i < space.space.size(); ++i) {
    space.space.positions(i, at);
    out += i > 0 ? ",\n" : "\n";
    append_entry(out, space, at, space.at(i));
  }
  return out + "}\n}\n";
}

} // namespace warptune

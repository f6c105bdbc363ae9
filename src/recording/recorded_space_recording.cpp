#include "recording/recorded_space_recording.h"

#include "core/statistics.h"
#include "core/text.h"
#include "interchange/recorded_row.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr double kShortestMs = 1e-6; // one nanosecond, the smallest unit of a recording
constexpr double kLongestMs = 1e9;   // 1e15 ns, the largest time of a recording

// Rounds to the decimal value that was measured: us / 1e3 would add binary rounding errors.
double ms_of(double us) { return std::round(us * 1e9) / 1e12; }

double or_zero(double value) { return std::isfinite(value) ? std::max(value, 0.0) : 0; }

bool is_text(const ParamLabel& label) { return label.kind == ParamLabel::Kind::text; }

// If any value is text, all values of the parameter become labels, including its integers.
std::vector<std::string> labels_of(const RecordedParam& param) {
  std::vector<std::string> labels;
  if (std::any_of(param.values.begin(), param.values.end(), is_text))
    for (const ParamLabel& label : param.values) labels.push_back(label.text);
  return labels;
}

// One integer per value: the position of its label, or the number itself.
Result<std::vector<std::int64_t>> integers_of(const RecordedParam& param, bool has_labels) {
  std::vector<std::int64_t> values;
  for (const ParamLabel& label : param.values) {
    std::int64_t value = has_labels ? static_cast<std::int64_t>(values.size()) : label.text == "true" ? 1 : 0;
    const bool fits = is_text(label) || label.kind == ParamLabel::Kind::boolean ||
                      (label.kind == ParamLabel::Kind::integer &&
                       (has_labels || parse_integer(label.text, value) == IntegerError::none));
    if (!fits)
      return fail(
          ErrorKind::bad_input,
          fmt::format("the parameter {} has the value {}, but a recording can store only whole numbers and labels; "
                      "use another --format, because the other formats keep all values",
                      quote(param.name), quote(label.text)));
    values.push_back(value);
  }
  return values;
}

Timing timing_of(const RecordedOutcome& outcome) {
  Timing t;
  for (const double sample : outcome.samples_ms)
    if (sample >= kShortestMs && sample <= kLongestMs) t.samples_us.push_back(static_cast<float>(sample * 1e3));
  t.median_us = t.ci_low_us = t.ci_high_us = t.min_us = outcome.time_ms * 1e3;
  t.cold_l2 = false;
  if (t.samples_us.empty()) return t;
  const Interval interval = median_interval(t.samples_us);
  t.ci_low_us = interval.low;
  t.ci_high_us = interval.high;
  t.min_us = static_cast<double>(*std::min_element(t.samples_us.begin(), t.samples_us.end()));
  t.rel_iqr = (quantile(t.samples_us, 0.75) - quantile(t.samples_us, 0.25)) / t.median_us;
  return t;
}

ParamLabel label_of(const Recording& recording, std::size_t param, std::int64_t value) {
  const bool labelled = param < recording.param_labels.size() && !recording.param_labels[param].empty();
  return {labelled ? ParamLabel::Kind::text : ParamLabel::Kind::integer, param_text(recording, param, value)};
}

} // namespace

Result<RecordedSpace> space_of(const Recording& recording) {
  RecordedSpaceBuilder builder;
  builder.header.kernel = recording.kernel;
  builder.header.device = recording.device.name;
  builder.header.format = kRecordingFormat;
  builder.header.tuner = "warptune";
  builder.header.problem = json_text(recording.problem);
  for (const std::string& name : recording.param_names) WT_CHECK(builder.add_param(name));
  for (const Trial& trial : recording.trials) {
    RecordedRow row;
    row.begin(builder.param_count());
    for (std::size_t p = 0; p < trial.config.size(); ++p)
      row.set(static_cast<int>(p), builder.value(static_cast<int>(p), label_of(recording, p, trial.config[p])));
    if (trial.status != TrialStatus::ok) row.failure = trial.status;
    row.outcome.compile_ms = trial.compile_ms;
    row.outcome.verify_ms = trial.verify_ms;
    row.outcome.benchmark_ms = trial.measure_ms;
    row.outcome.timestamp = recording.recorded_at;
    if (trial.timing) {
      row.outcome.time_ms = ms_of(trial.timing->median_us);
      for (const float sample : trial.timing->samples_us)
        row.outcome.samples_ms.push_back(ms_of(std::round(static_cast<double>(sample) * 1e4) / 1e4));
    }
    if (trial.power) // in joules, like Kernel Tuner's observer: its caches hold no units
      row.outcome.metrics.emplace_back(builder.metric("nvml_energy", "J"), trial.power->energy_mj / 1e3);
    WT_CHECK(row.add_to(builder));
  }
  builder.order_values();
  return builder.finish();
}

Result<Recording> recording_of(const RecordedSpace& space, const DeviceInfo& device) {
  Recording out;
  out.device = device;
  out.kernel = space.kernel;
  out.problem = plain_text(space.problem);
  out.device.name = space.device;
  out.version = kVersion;
  out.strategy = "imported";
  out.cold_l2 = false; // other tuners repeat a launch with a warm cache
  std::vector<std::vector<std::int64_t>> values;
  for (const RecordedParam& param : space.params) {
    const auto& labels = out.param_labels.emplace_back(labels_of(param));
    WT_TRY(auto integers, integers_of(param, !labels.empty()));
    values.push_back(std::move(integers));
    out.param_names.push_back(param.name);
  }
  if (std::all_of(out.param_labels.begin(), out.param_labels.end(), [](const auto& labels) { return labels.empty(); }))
    out.param_labels.clear();
  Positions at;
  for (ConfigIndex i = 0; i < space.space.size(); ++i) {
    const RecordedOutcome& o = space.at(i);
    Trial trial;
    space.space.positions(i, at);
    for (std::size_t p = 0; p < at.size(); ++p) trial.config.push_back(values[p][static_cast<std::size_t>(at[p])]);
    trial.index = i;
    trial.status = o.status;
    if (o.status != TrialStatus::ok)
      trial.evidence = o.evidence.empty() ? fmt::format("{} says {}", space.format, status_name(o.status))
                                          : fmt::format("{}: {}", space.format, o.evidence);
    if (o.status == TrialStatus::ok && o.time_ms < kShortestMs)
      return fail(
          ErrorKind::bad_input,
          fmt::format(
              "a configuration takes {} ms, but a recording stores whole nanoseconds; check the unit of the times",
              o.time_ms));
    if (o.status == TrialStatus::ok && o.time_ms > kLongestMs)
      return fail(
          ErrorKind::bad_input,
          fmt::format(
              "a configuration takes {} ms, but a recording can store at most {} ms; check the unit of the times",
              o.time_ms, kLongestMs));
    trial.compile_ms = or_zero(o.compile_ms);
    trial.verify_ms = or_zero(o.verify_ms);
    trial.measure_ms = or_zero(o.benchmark_ms);
    if (o.status == TrialStatus::ok) trial.timing = timing_of(o);
    out.recorded_at = std::max(out.recorded_at, o.timestamp);
    out.trials.push_back(std::move(trial));
  }
  return out;
}

} // namespace warptune

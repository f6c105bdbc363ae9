#include "core/text.h"
#include "interchange/json_events.h"
#include "interchange/recorded_row.h"
#include "interchange/t4_results.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace warptune {
namespace {

using Scalar = JsonScalar;

const std::unordered_map<std::string, double RecordedOutcome::*>& durations() {
  static const std::unordered_map<std::string, double RecordedOutcome::*> known = {
      {"compilation_time", &RecordedOutcome::compile_ms}, {"compilation", &RecordedOutcome::compile_ms},
      {"validation", &RecordedOutcome::verify_ms},        {"benchmark", &RecordedOutcome::benchmark_ms},
      {"search_algorithm", &RecordedOutcome::search_ms},  {"framework", &RecordedOutcome::framework_ms}};
  return known;
}

// The unit in milliseconds; the published files misspell it.
std::optional<double> unit_ms(std::string_view name) {
  if (name == "nanoseconds" || name == "ns") return 1e-6;
  if (name == "microseconds" || name == "us") return 1e-3;
  if (name == "milliseconds" || name == "miliseconds" || name == "ms") return 1;
  if (name == "seconds" || name == "s") return 1e3;
  return std::nullopt;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

class ResultsReader final : public JsonHandler {
 public:
  ResultsReader(RecordedSpaceBuilder& builder, double file_unit_ms) : builder_(builder), file_unit_ms_(file_unit_ms) {}

  bool seen_results = false;
  bool late_unit = false; // the unit comes after times that were read with another unit
  double file_unit() const { return file_unit_ms_; }

  bool key(std::string& name) override {
    if (depth_ == 1) section_ = name;
    if (depth_ == 2) metadata_ = name;
    if (depth_ == 3) part_ = name;
    if (depth_ == 4 || depth_ == 5) field_ = name;
    return true;
  }

  bool begin(bool object) override {
    ++depth_;
    if (depth_ == 1 && !object) return refuse("it is a list, not an object with 'results'");
    if (section_ != "results") return true;
    if (depth_ == 2) {
      seen_results = true;
      return !object || refuse("its 'results' is not a list");
    }
    if (depth_ == 3) {
      if (!object) return refuse("an entry of its 'results' is not an object");
      row_.begin(builder_.param_count());
      status_.reset();
      correct_ = true;
    }
    if (depth_ >= 5 && part_ == "configuration") return refuse("a value of " + quote(field_) + " is a list");
    if (depth_ == 5 && part_ == "measurements") measured_ = {};
    return true;
  }

  bool end() override {
    if (in_results() && depth_ == 5 && part_ == "measurements") end_measurement();
    if (in_results() && depth_ == 3 && !end_row()) return false;
    if (--depth_ == 1) section_.clear();
    return true;
  }

  bool scalar(const Scalar& value) override {
    if (section_ == "metadata" && depth_ == 2) return metadata(value);
    if (section_ == "results" && depth_ <= 2) return refuse("its 'results' is not a list of objects");
    if (!in_results()) return true;
    if (depth_ == 3) return result_scalar(value);
    if (depth_ == 4 && part_ == "configuration") return set_param(value);
    if (depth_ == 4 && part_ == "times" && value.is_number())
      if (const auto known = durations().find(field_); known != durations().end())
        row_.outcome.*known->second = value.number * file_unit_ms_;
    if (depth_ == 5 && part_ == "times" && field_ == "runtimes" && value.is_number())
      add_sample(value.number * file_unit_ms_);
    if (depth_ == 5 && part_ == "measurements") measurement_scalar(value);
    return true;
  }

 private:
  struct Measured {
    std::string name, unit;
    std::optional<double> value;
  };

  bool in_results() const { return section_ == "results"; }

  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool metadata(const Scalar& value) {
    if (metadata_ == "device") builder_.header.device = value.text;
    if (metadata_ == "autotuner") builder_.header.tuner = value.text;
    if (metadata_ != "timeunit" || value.kind != Scalar::Kind::text) return true;
    const auto unit = unit_ms(value.text);
    if (!unit) return refuse("it has an unknown time unit, " + quote(value.text));
    late_unit = seen_results && *unit != file_unit_ms_;
    file_unit_ms_ = *unit;
    return true;
  }

  bool result_scalar(const Scalar& value) {
    if (part_ == "timestamp") row_.outcome.timestamp = value.text;
    if (part_ == "correctness" && value.is_number()) correct_ = value.number != 0;
    if (part_ == "invalidity" && value.kind == Scalar::Kind::text) {
      status_ = parse_invalidity(value.text);
      if (!status_) return refuse("it has an unknown 'invalidity', " + quote(value.text));
    }
    return true;
  }

  bool set_param(const Scalar& value) {
    if (value.kind == Scalar::Kind::null) return true;
    if (auto added = builder_.add_param(field_); !added) return refuse(added.error().message);
    const int param = builder_.find_param(field_);
    row_.set(param, builder_.value(param, label_of(value)));
    return true;
  }

  void add_sample(double ms) {
    if (std::isfinite(ms)) row_.outcome.samples_ms.push_back(ms); // infinite: out of range in milliseconds
  }

  void measurement_scalar(const Scalar& value) {
    if (field_ == "name") measured_.name = value.text;
    if (field_ == "unit") measured_.unit = value.text;
    if (field_ == "value" && value.is_number()) measured_.value = value.number;
    if (field_ == "value" && value.kind == Scalar::Kind::text && !row_.failure)
      row_.failure = parse_kernel_tuner_failure(value.text);
  }

  void end_measurement() {
    if (!measured_.value) return;
    if (measured_.name == "time")
      row_.outcome.time_ms = *measured_.value * unit_ms(measured_.unit).value_or(file_unit_ms_);
    else
      row_.outcome.metrics.emplace_back(builder_.metric(measured_.name, measured_.unit), *measured_.value);
  }

  bool end_row() {
    // Kernel Tuner marks every configuration as correct, even failed ones.
    if (status_ && *status_ != TrialStatus::ok)
      row_.failure = status_;
    else if (!correct_ && !row_.failure)
      row_.failure = TrialStatus::wrong_result;
    if (std::isnan(row_.outcome.time_ms) && !row_.outcome.samples_ms.empty())
      row_.outcome.time_ms = median_of(row_.outcome.samples_ms);
    auto added = row_.add_to(builder_);
    return added || refuse(added.error().message);
  }

  RecordedSpaceBuilder& builder_;
  bool correct_ = true;
  double file_unit_ms_;
  int depth_ = 0;
  std::string section_, metadata_, part_, field_; // the open keys, outermost first
  std::optional<TrialStatus> status_;
  Measured measured_;
  RecordedRow row_;
};

} // namespace

Result<RecordedSpace> read_t4_results(std::string& text) {
  RecordedSpaceBuilder builder;
  ResultsReader reader(builder, 1);
  JsonOutcome outcome = read_json(text, reader);
  if (outcome.end == JsonEnd::complete && reader.late_unit) {
    builder = {};
    ResultsReader again(builder, reader.file_unit());
    outcome = read_json(text, again);
  }
  if (outcome.end == JsonEnd::damaged || outcome.end == JsonEnd::refused)
    return fail(ErrorKind::bad_input, outcome.problem);
  if (!reader.seen_results) return fail(ErrorKind::bad_input, "it has no 'results'");
  builder.header.format = kT4Format;
  if (outcome.end == JsonEnd::truncated) builder.note_truncated();
  builder.order_values();
  return builder.finish();
}

} // namespace warptune

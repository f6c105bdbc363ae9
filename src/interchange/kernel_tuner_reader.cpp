#include "core/text.h"
#include "interchange/json_events.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/recorded_row.h"

#include <unordered_map>

namespace warptune {
namespace {

using Scalar = JsonScalar;

const std::unordered_map<std::string, double RecordedOutcome::*>& durations() {
  static const std::unordered_map<std::string, double RecordedOutcome::*> known = {
      {"compile_time", &RecordedOutcome::compile_ms},     {"verification_time", &RecordedOutcome::verify_ms},
      {"benchmark_time", &RecordedOutcome::benchmark_ms}, {"strategy_time", &RecordedOutcome::search_ms},
      {"framework_time", &RecordedOutcome::framework_ms}, {"time", &RecordedOutcome::time_ms}};
  return known;
}

// Reads the objects and lists of a cache; the open ones determine the meaning of an event.
class CacheReader final : public JsonHandler {
 public:
  // `header_only`: for files with params after the cache, which are read twice.
  CacheReader(RecordedSpaceBuilder& builder, bool header_only) : builder_(builder), header_only_(header_only) {}

  bool seen_cache = false, params_first = false;

  bool key(std::string& name) override {
    if (depth_ == 1) section_ = name;
    if (depth_ == 1 && name == "problem_size") builder_.header.problem.clear();
    if (depth_ == 2 && section_ == "tune_params") {
      param_ = name;
      return add_param(name);
    }
    if (depth_ == 3 && in_cache()) field_ = name;
    return true;
  }

  bool begin(bool object) override {
    ++depth_;
    if (section_ == "problem_size")
      return !object && depth_ == 2 ? append_problem("[") : refuse("its 'problem_size' is not a plain list");
    if (section_ == "tune_params" && object != (depth_ == 2)) return refuse("its 'tune_params' has no lists of values");
    if (section_ == "tune_params" && depth_ > 3) return refuse("a value of " + quote(param_) + " is itself a list");
    if (section_ == "tune_params_keys" && (object || depth_ > 2))
      return refuse("its 'tune_params_keys' is not a list of names");
    if (section_ != "cache") return true;
    if (depth_ <= 3 && !object) return refuse("its 'cache' is not an object of objects");
    if (depth_ == 2) {
      seen_cache = true;
      params_first = builder_.param_count() > 0;
      for (std::size_t p = 0; p < builder_.param_count(); ++p)
        listed_.push_back(builder_.value_count(static_cast<int>(p)));
    }
    if (depth_ == 3 && in_cache()) {
      row_.begin(builder_.param_count());
      is_unlisted_ = false;
    }
    return true;
  }

  bool end() override {
    if (depth_ == 3 && in_cache()) {
      if (is_unlisted_) builder_.count_unlisted_value();
      if (auto added = row_.add_to(builder_); !added) return refuse(added.error().message);
    }
    if (section_ == "problem_size") append_problem("]");
    if (--depth_ == 1) section_.clear();
    return true;
  }

  bool scalar(const Scalar& value) override {
    if (depth_ == 1) return header(value);
    if (section_ == "problem_size") return append_problem(json_text(label_of(value)));
    if (section_ == "tune_params_keys")
      return value.kind == Scalar::Kind::text ? add_param(std::string(value.text))
                                              : refuse("a name in its 'tune_params_keys' is not a string");
    if (section_ == "tune_params") {
      if (depth_ != 3 || value.kind == Scalar::Kind::null) return refuse("a value of " + quote(param_) + " is null");
      builder_.value(builder_.find_param(param_), label_of(value));
    }
    if (in_cache() && depth_ == 2) return refuse("an entry of its 'cache' is not an object");
    if (in_cache() && depth_ == 3) return entry(value);
    if (in_cache() && depth_ == 4 && field_ == "times" && value.is_number())
      row_.outcome.samples_ms.push_back(value.number);
    return true;
  }

 private:
  bool in_cache() const { return !header_only_ && section_ == "cache"; }

  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool add_param(const std::string& name) {
    if (is_kernel_tuner_field(name))
      return refuse("its parameter " + quote(name) + " has the name of a field of the cache's entries; rename it");
    auto added = builder_.add_param(name);
    return added || refuse(added.error().message);
  }

  bool append_problem(std::string_view part) {
    std::string& text = builder_.header.problem;
    if (!text.empty() && text.back() != '[' && part != "]") text += ',';
    text += part;
    return true;
  }

  bool header(const Scalar& value) {
    if (section_ == "device_name") builder_.header.device = value.text;
    if (section_ == "kernel_name") builder_.header.kernel = value.text;
    if (section_ == "objective") builder_.header.objective = value.text;
    if (section_ == "problem_size") builder_.header.problem = json_text(label_of(value));
    if (section_ == "cache" || section_ == "tune_params" || section_ == "tune_params_keys")
      return refuse("its " + quote(section_) + " is a single value, not a list or an object");
    return true;
  }

  bool entry(const Scalar& value) {
    if (const int param = builder_.find_param(field_); param >= 0) {
      if (value.kind == Scalar::Kind::null) return true;
      const std::int32_t position = builder_.value(param, label_of(value));
      row_.set(param, position);
      const auto at = static_cast<std::size_t>(param);
      const std::size_t listed = at < listed_.size() ? listed_[at] : 0;
      is_unlisted_ = is_unlisted_ || (listed > 0 && static_cast<std::size_t>(position) >= listed);
      return true;
    }
    if (value.kind == Scalar::Kind::text) {
      if (field_ == "timestamp")
        row_.outcome.timestamp = value.text;
      else if (const auto failed = parse_kernel_tuner_failure(value.text))
        row_.failure = failed;
    } else if (value.is_number()) {
      if (const auto known = durations().find(field_); known != durations().end())
        row_.outcome.*known->second = value.number;
      else
        row_.outcome.metrics.emplace_back(builder_.metric(field_, ""), value.number);
    }
    return true;
  }

  RecordedSpaceBuilder& builder_;
  bool header_only_;
  int depth_ = 0;
  std::string section_, param_, field_; // the open keys of levels 1, 2 and 3
  std::vector<std::size_t> listed_;     // numbers of the params' values in 'tune_params'; 0: not listed
  bool is_unlisted_ = false;            // whether the open entry has another value
  RecordedRow row_;
};

} // namespace

Result<RecordedSpace> read_kernel_tuner_cache(std::string& text) {
  RecordedSpaceBuilder builder;
  CacheReader reader(builder, false);
  JsonOutcome outcome = read_json(text, reader);
  if (outcome.end == JsonEnd::complete && reader.seen_cache && !reader.params_first && builder.param_count() > 0) {
    RecordedSpaceBuilder again;
    CacheReader header(again, true);
    (void)read_json(text, header);
    CacheReader rows(again, false);
    outcome = read_json(text, rows);
    builder = std::move(again);
  }
  if (outcome.end == JsonEnd::damaged || outcome.end == JsonEnd::refused)
    return fail(ErrorKind::bad_input, outcome.problem);
  if (!reader.seen_cache) return fail(ErrorKind::bad_input, "it has no 'cache'");
  builder.header.format = kKernelTunerFormat;
  builder.header.tuner = "KernelTuner";
  if (outcome.end == JsonEnd::truncated) builder.note_truncated();
  return builder.finish();
}

} // namespace warptune

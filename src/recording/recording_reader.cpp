#include "recording/recording.h"
#include "recording/recording_checksum.h"
#include "recording/recording_findings.h"
#include "recording/recording_format.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace warptune {
namespace {

using namespace recording_format;
using nlohmann::ordered_json;

struct Bad : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr double kMaxUnit = 1e9; // us

std::int64_t whole_number(const ordered_json& v, const char* column, std::int64_t least, std::int64_t most) {
  if (!v.is_number_integer()) throw Bad(fmt::format("column '{}' contains a value that is not a whole number", column));
  // An unsigned value beyond the signed range would wrap.
  const bool huge = v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  const auto value = huge ? most : v.get<std::int64_t>();
  if (huge || value < least || value > most)
    throw Bad(fmt::format("column '{}' contains {}, which is not between {} and {}", column, v.dump(), least, most));
  return value;
}

class ColumnReader {
 public:
  explicit ColumnReader(const ordered_json& columns) : columns_(columns) {}

  bool has(const char* name) const { return columns_.contains(name); }
  // Returns the next value of a column. Range and type errors are thrown.
  const ordered_json& next(const char* name) {
    const auto found = columns_.find(name);
    if (found == columns_.end()) throw Bad(fmt::format("column '{}' is missing", name));
    if (!found->is_array()) return *found;
    const std::size_t at = positions_[name]++;
    if (at >= found->size()) throw Bad(fmt::format("column '{}' has only {} values", name, found->size()));
    return (*found)[at];
  }
  // `least` is 0 for values that cannot be negative. The upper bound is far above any measurement, and sums of such
  // values do not overflow.
  std::int64_t integer(const char* name, std::int64_t least = -kMaxSteps, std::int64_t most = kMaxSteps) {
    return whole_number(next(name), name, least, most);
  }
  double number(const char* name) {
    const ordered_json& v = next(name);
    if (!v.is_number()) throw Bad(fmt::format("column '{}' contains a value that is not a number", name));
    return v.get<double>();
  }
  const std::string& text(const char* name, const std::vector<std::string>& dictionary) {
    const std::int64_t code = integer(name);
    if (code < 0 || code >= static_cast<std::int64_t>(dictionary.size()))
      throw Bad(fmt::format("column '{}' points outside its dictionary", name));
    return dictionary[static_cast<std::size_t>(code)];
  }
  void expect_end() const {
    for (const auto& [name, at] : positions_)
      if (columns_.at(name).size() != at)
        throw Bad(fmt::format("column '{}' has {} values too many", name, columns_.at(name).size() - at));
  }

 private:
  const ordered_json& columns_;
  std::map<std::string, std::size_t> positions_;
};

template <class T> void read_scalars(ColumnReader& in, T& value) {
  for_each_scalar<T>([&](const auto& m) {
    using Value = MemberValue<decltype(m)>;
    if constexpr (std::is_arithmetic_v<Value>) {
      if (m.traits.steps == 0 || (m.traits.since > 1 && !in.has(m.recorded()))) return;
      const std::int64_t steps = in.integer(m.recorded(), m.traits.least, m.traits.most);
      if constexpr (std::is_floating_point_v<Value>)
        value.*m.at = static_cast<Value>(steps) * (1 / m.traits.steps);
      else
        value.*m.at = static_cast<Value>(steps);
    }
  });
}

Verdict read_verdict(ColumnReader& in, const std::vector<std::string>& texts, bool correct,
                     const std::string& evidence) {
  Verdict v;
  v.correct = correct;
  for_each_scalar<Verdict>([&](const auto& m) {
    if (!is_recorded(m.name, correct) || (m.traits.since > 1 && !in.has(m.recorded()))) return;
    using Value = MemberValue<decltype(m)>;
    if constexpr (std::is_same_v<Value, std::string>)
      v.*m.at = in.text(m.recorded(), texts);
    else if constexpr (std::is_floating_point_v<Value>)
      v.*m.at = in.number(m.recorded());
    else
      v.*m.at = static_cast<Value>(in.integer(m.recorded(), m.traits.least, m.traits.most));
  });
  if (!correct) v.detail = evidence;
  return v;
}

Timing read_timing(ColumnReader& in, double unit, bool complete, bool cold_l2) {
  Timing t;
  const std::int64_t median = in.integer("median");
  const auto us = [unit](std::int64_t ticks) { return static_cast<double>(ticks) * unit; };
  t.median_us = us(median);
  if (!(t.median_us > 0)) throw Bad("a median time is not positive");
  t.ci_low_us = us(median - in.integer("ci_low"));
  t.ci_high_us = us(median + in.integer("ci_high"));
  t.min_us = us(median - in.integer("min"));
  if (!(t.ci_low_us > 0 && t.ci_high_us > 0 && t.min_us > 0)) throw Bad("a time is not positive");
  read_scalars(in, t);
  std::int64_t now = median;
  for (const ordered_json& step : in.next("samples").get_ref<const ordered_json::array_t&>()) {
    const std::int64_t by = whole_number(step, "samples", -kMaxSteps, kMaxSteps);
    now += t.samples_us.empty() ? -by : by;
    if (now <= 0 || now > 2 * kMaxSteps) throw Bad("a sample is not positive, or too large");
    t.samples_us.push_back(static_cast<float>(us(now)));
  }
  t.complete = complete;
  t.cold_l2 = cold_l2;
  return t;
}

Config read_config(const std::string& digits, std::size_t at, std::size_t width,
                   const std::vector<std::vector<std::int64_t>>& values) {
  Config config;
  for (const auto& known : values) {
    std::size_t index = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const std::size_t digit = kDigits.find(digits[at++]);
      if (digit == std::string_view::npos) throw Bad("'configs' contains a character that is not a digit");
      index = index * kDigits.size() + digit;
    }
    if (index >= known.size()) throw Bad("'configs' points outside the values of a parameter");
    config.push_back(known[index]);
  }
  return config;
}

DeviceInfo read_device(const ordered_json& j) {
  DeviceInfo d;
  const auto read = [](const ordered_json& from, const char* key, auto& v) {
    from.at(key).get_to(v);
    if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(v)>>)
      if (!(v >= 0)) throw Bad(fmt::format("'{}' of the device is negative", key));
  };
  for_each_device_scalar(false, [&](const auto& m) { read(j, m.name, d.*m.at); });
  for_each_device_scalar(true, [&](const auto& m) {
    if (j.contains(m.name)) read(j, m.name, d.*m.at);
  });
  for_each_member<DeviceLimits>([&](const auto& m) { read(j.at("limits"), m.name, d.limits.*m.at); });
  const ordered_json& roofs = j.at("roofs");
  roofs.at("measured").get_to(d.roofs.measured);
  for (const RoofName& roof : roof_names())
    if (roofs.contains(roof.name)) read(roofs, roof.name, d.roofs.*roof.member);
  d.roofs.driver = roofs.value("driver", "");
  if (roofs.contains("sm_clocks_mhz"))
    for (const auto& [name, clock] : roofs["sm_clocks_mhz"].items())
      read(roofs["sm_clocks_mhz"], name.c_str(), d.roofs.clocks[name]);
  return d;
}

void read_trials(const ordered_json& j, Recording& r) {
  std::vector<std::vector<std::int64_t>> values;
  for (const ordered_json& param : j.at("params")) {
    r.param_names.push_back(param.at(0).get<std::string>());
    const ordered_json& known = param.at(1);
    auto& labels = r.param_labels.emplace_back();
    if (!known.empty() && known.at(0).is_string()) known.get_to(labels);
    auto& numbers = values.emplace_back(labels.size());
    if (labels.empty()) known.get_to(numbers);
    for (std::size_t i = 0; i < labels.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  }
  if (std::all_of(r.param_labels.begin(), r.param_labels.end(), [](const auto& labels) { return labels.empty(); }))
    r.param_labels.clear();
  const auto count = j.at("trials").get<std::size_t>();
  const auto width = j.at("width").get<std::size_t>();
  const auto unit = j.at("unit_us").get<double>();
  const auto configs = j.at("configs").get<std::string>();
  const auto status = j.at("status").get<std::string>();
  const auto has = j.at("has").get<std::string>();
  const auto texts = j.at("texts").get<std::vector<std::string>>();
  // The lengths of the strings bound `count` by the file size; check them before allocating.
  if (width < 1 || width > 6) throw Bad("'width' is not between 1 and 6");
  if (!(unit > 0 && unit <= kMaxUnit)) throw Bad("'unit_us' is not positive, or too large");
  if (status.size() != count || has.size() != count || configs.size() != count * width * values.size())
    throw Bad(fmt::format("'status', 'has' and 'configs' do not have the length of {} trials", count));

  ColumnReader in(j.at("columns"));
  r.trials.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Trial& t = r.trials[i];
    const int code = status[i] - '0';
    if (code < 0 || code > static_cast<int>(TrialStatus::unstable)) throw Bad("'status' contains an unknown code");
    t.status = static_cast<TrialStatus>(code);
    const auto flags = static_cast<unsigned>(kDigits.find(has[i]));
    if (flags > 15) throw Bad("'has' contains an unknown code");
    t.config = read_config(configs, i * width * values.size(), width, values);
    read_scalars(in, t.resources);
    read_scalars(in, t);
    if (t.status != TrialStatus::ok) t.evidence = in.text("evidence", texts);
    if (flags & kVerdict) t.verdict = read_verdict(in, texts, (flags & kCorrect) != 0, t.evidence);
    if (flags & kTiming) t.timing = read_timing(in, unit, (flags & kComplete) != 0, r.cold_l2);
    if (t.status == TrialStatus::ok && !t.timing) throw Bad("a trial is marked ok but has no time");
  }
  in.expect_end();
  if (const auto findings = j.find("findings"); findings != j.end()) read_findings(*findings, r.trials);
}

} // namespace

Result<Recording> parse_recording(const std::string& text, const std::string& origin) {
  const auto bad = [&](const std::string& what) {
    return fail(ErrorKind::bad_input, fmt::format("{}: {}", origin, what));
  };
  // The JSON parser would treat a zero byte as the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string::npos && text.find(kType) != std::string::npos)
    return bad(fmt::format("the recording is truncated or damaged at byte {}; copy or record it again", at + 1));
  ordered_json j;
  try {
    j = ordered_json::parse(text);
  } catch (const ordered_json::parse_error& e) {
    if (text.find(kType) == std::string::npos)
      return bad("not a recording, because it is not JSON; `warptune record` makes recordings");
    return bad(fmt::format("the recording is truncated or damaged at byte {}; copy or record it again", e.byte));
  } catch (const ordered_json::exception&) { // out_of_range; its message is not meant for users
    return bad("the recording is damaged: it contains a number that is too large; copy or record it again");
  }
  try {
    if (!j.is_object() || !j.contains("type") || j["type"] != kType)
      return bad("not a recording; `warptune record` makes recordings");
    if (const int format = j.at("format").get<int>(); format != kFormat)
      return bad(fmt::format("the recording has format {}, but this version of warptune reads format {}; {}", format,
                             kFormat, format > kFormat ? "update warptune" : "make a new recording"));
    Recording r;
    j.at("kernel").get_to(r.kernel), j.at("problem").get_to(r.problem), j.at("source_hash").get_to(r.source_hash);
    j.at("recorded_at").get_to(r.recorded_at), j.at("warptune").get_to(r.version), j.at("strategy").get_to(r.strategy);
    j.at("cold_l2").get_to(r.cold_l2);
    r.device = read_device(j.at("device"));
    read_trials(j, r);
    if (checksum_of(text) == Checksum::wrong)
      return bad("the recording is damaged: its content does not match its sha256; copy or record it again");
    return r;
  } catch (const std::exception& e) {
    return bad(fmt::format("the recording is damaged: {}; copy or record it again", e.what()));
  }
}

} // namespace warptune

#include "recording/recording.h"
#include "recording/recording_checksum.h"
#include "recording/recording_findings.h"
#include "recording/recording_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

namespace warptune {
namespace {

using namespace recording_format;
using nlohmann::ordered_json;

constexpr std::size_t kSamplesKept = 15;
constexpr std::size_t kEvidenceKept = 400; // characters; a compiler log can be long

std::int64_t whole(double v) { return std::isfinite(v) ? std::llround(std::clamp(v, -1e15, 1e15)) : 0; }
double three_digits(double v) { return std::isfinite(v) ? std::stod(fmt::format("{:.3g}", v)) : 1e30; }

ordered_json device_json(const DeviceInfo& d) {
  ordered_json out, limits, roofs;
  const auto add = [&](const auto& m) { out[m.name] = d.*m.at; };
  for_each_device_scalar(false, add);
  for_each_member<DeviceLimits>([&](const auto& m) { limits[m.name] = d.limits.*m.at; });
  for (const RoofName& roof : roof_names())
    if (d.roofs.*roof.member > 0) roofs[roof.name] = d.roofs.*roof.member;
  roofs["measured"] = d.roofs.measured;
  if (!d.roofs.driver.empty()) roofs["driver"] = d.roofs.driver;
  if (!d.roofs.clocks.empty()) roofs["sm_clocks_mhz"] = d.roofs.clocks;
  out["limits"] = std::move(limits);
  out["roofs"] = std::move(roofs);
  for_each_device_scalar(true, add);
  return out;
}

class Columns {
 public:
  template <class T> void add(const char* name, T value) { columns_[name].push_back(std::move(value)); }
  // Omits the column if all values are 0, so that a recording made before the column existed is written unchanged.
  template <class T> void add_later(const char* name, T value) {
    later_.insert(name);
    add(name, value);
  }
  void write_to(ordered_json& out) const {
    for (const auto& [name, values] : columns_) {
      const bool uniform =
          std::all_of(values.begin(), values.end(), [&v = values](const auto& e) { return e == v[0]; });
      if (uniform && later_.contains(name) && values[0] == 0) continue;
      out[name] = uniform && !values[0].is_array() ? values[0] : ordered_json(values);
    }
  }

 private:
  std::map<std::string, std::vector<ordered_json>> columns_;
  std::set<std::string> later_;
};

class Dictionary {
 public:
  std::int64_t code(const std::string& text) {
    const auto [at, fresh] = codes_.try_emplace(text, static_cast<std::int64_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::int64_t> codes_;
  std::vector<std::string> texts_;
};

// 1 ns if the fastest trial takes less than 100 us; ten times as much for each further power of ten.
double choose_unit(const std::vector<Trial>& trials) {
  double fastest = 0;
  for (const Trial& t : trials)
    if (t.timing && t.timing->median_us > 0 && (fastest == 0 || t.timing->median_us < fastest))
      fastest = t.timing->median_us;
  double unit = 1e-3;
  while (fastest / unit >= 1e5) unit *= 10;
  return unit;
}

std::vector<float> kept_samples(std::vector<float> samples) {
  std::sort(samples.begin(), samples.end());
  if (samples.size() <= kSamplesKept) return samples;
  std::vector<float> kept;
  for (std::size_t i = 0; i < kSamplesKept; ++i)
    kept.push_back(samples[(2 * i + 1) * samples.size() / (2 * kSamplesKept)]);
  return kept;
}

struct ConfigCode {
  std::vector<std::vector<std::int64_t>> values; // per param, sorted
  std::size_t width = 1;                         // digits of one value

  explicit ConfigCode(const Recording& r) : values(r.param_names.size()) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      std::set<std::int64_t> seen;
      for (const Trial& t : r.trials) seen.insert(t.config.at(p));
      values[p].assign(seen.begin(), seen.end());
    }
    for (const auto& v : values)
      for (std::size_t reach = kDigits.size(), digits = 1; digits <= 6; reach *= kDigits.size(), ++digits)
        if (v.size() <= reach) {
          width = std::max(width, digits);
          break;
        }
  }

  std::string text(const Config& config) const {
    std::string out;
    for (std::size_t p = 0; p < values.size(); ++p) {
      auto index =
          static_cast<std::size_t>(std::lower_bound(values[p].begin(), values[p].end(), config[p]) - values[p].begin());
      std::string digits(width, kDigits[0]);
      for (std::size_t d = width; d-- > 0; index /= kDigits.size()) digits[d] = kDigits[index % kDigits.size()];
      out += digits;
    }
    return out;
  }
};

// Adds the members that are stored as integer multiples of a step.
template <class T> void add_scalars(Columns& columns, const T& value) {
  for_each_scalar<T>([&](const auto& m) {
    if constexpr (std::is_arithmetic_v<MemberValue<decltype(m)>>) {
      if (m.traits.steps == 0) return;
      const std::int64_t steps = whole(static_cast<double>(value.*m.at) * m.traits.steps);
      m.traits.since > 1 ? columns.add_later(m.recorded(), steps) : columns.add(m.recorded(), steps);
    }
  });
}

void add_verdict(Columns& columns, Dictionary& texts, const Verdict& v) {
  for_each_scalar<Verdict>([&](const auto& m) {
    if (!is_recorded(m.name, v.correct)) return;
    using Value = MemberValue<decltype(m)>;
    if constexpr (std::is_same_v<Value, std::string>)
      columns.add(m.recorded(), texts.code(v.*m.at));
    else if constexpr (std::is_floating_point_v<Value>)
      columns.add(m.recorded(), three_digits(v.*m.at));
    else
      columns.add(m.recorded(), v.*m.at);
  });
}

void add_timing(Columns& columns, const Timing& t, double unit) {
  // A positive time below half a unit would be rounded to 0, which means no time.
  const auto ticks = [unit](double us) {
    return us > 0 ? std::max<std::int64_t>(whole(us / unit), 1) : whole(us / unit);
  };
  const std::int64_t median = ticks(t.median_us);
  columns.add("median", median);
  columns.add("ci_low", median - ticks(t.ci_low_us));
  columns.add("ci_high", ticks(t.ci_high_us) - median);
  columns.add("min", median - ticks(t.min_us));
  add_scalars(columns, t);
  ordered_json samples = ordered_json::array();
  std::int64_t last = 0;
  for (const float s : kept_samples(t.samples_us)) {
    const std::int64_t now = ticks(static_cast<double>(s));
    samples.push_back(samples.empty() ? median - now
                                      : now - last); // the first relative to the median, the others to the previous one
    last = now;
  }
  columns.add("samples", std::move(samples));
}

} // namespace

std::string write_recording(const Recording& r) {
  const ConfigCode code(r);
  const double unit = choose_unit(r.trials);
  Columns columns;
  Dictionary texts;
  std::string configs, status, has;
  for (const Trial& t : r.trials) {
    configs += code.text(t.config);
    status += static_cast<char>('0' + static_cast<int>(t.status));
    const bool correct = t.verdict && t.verdict->correct;
    has += kDigits[(t.timing ? kTiming : 0u) | (t.timing && t.timing->complete ? kComplete : 0u) |
                   (t.verdict ? kVerdict : 0u) | (correct ? kCorrect : 0u)];
    add_scalars(columns, t.resources);
    add_scalars(columns, t);
    if (t.status != TrialStatus::ok) columns.add("evidence", texts.code(t.evidence.substr(0, kEvidenceKept)));
    if (t.verdict) add_verdict(columns, texts, *t.verdict);
    if (t.timing) add_timing(columns, *t.timing, unit);
  }
  ordered_json params = ordered_json::array();
  for (std::size_t p = 0; p < r.param_names.size(); ++p) {
    ordered_json values = code.values[p];
    if (p < r.param_labels.size() && !r.param_labels[p].empty())
      for (ordered_json& value : values) value = param_text(r, p, value.get<std::int64_t>());
    params.push_back({r.param_names[p], std::move(values)});
  }
  // Keys that find_recording looks for come first, within the bytes that it peeks at.
  ordered_json j{{"type", kType},
                 {"format", kFormat},
                 {"kernel", r.kernel},
                 {"problem", r.problem},
                 {"source_hash", r.source_hash},
                 {"recorded_at", r.recorded_at},
                 {"warptune", r.version},
                 {"strategy", r.strategy},
                 {"cold_l2", r.cold_l2},
                 {"device", device_json(r.device)},
                 {"params", std::move(params)},
                 {"trials", r.trials.size()},
                 {"width", code.width},
                 {"unit_us", unit},
                 {"configs", configs},
                 {"status", status},
                 {"has", has},
                 {"texts", texts.texts()},
                 {"columns", ordered_json::object()}};
  columns.write_to(j["columns"]);
  if (ordered_json findings = findings_json(r.trials); !findings.empty()) j["findings"] = std::move(findings);
  return with_checksum(j.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

} // namespace warptune

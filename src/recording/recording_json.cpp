// The recording's file format. Columns, since JSON repeats every key; a scalar stands for a column of equal values;
// times are whole numbers of `unit_us`; differences instead of values that lie close together.
#include "recording/recording.h"
#include "recording/recording_findings.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace warptune {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kType = "warptune recording";
constexpr std::size_t kSamplesKept = 15;
constexpr std::size_t kEvidenceKept = 400; // characters; a compiler log can be long
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum Has : unsigned { kTiming = 1, kComplete = 2, kVerdict = 4, kCorrect = 8 };

std::int64_t whole(double v) { return std::isfinite(v) ? std::llround(std::clamp(v, -1e15, 1e15)) : 0; }
double three_digits(double v) { return std::isfinite(v) ? std::stod(fmt::format("{:.3g}", v)) : 1e30; }

template <class V> void limits_fields(V&& f, auto& l) {
  f("sm_count", l.sm_count), f("compute_capability", l.compute_capability), f("warp_size", l.warp_size);
  f("max_threads_per_block", l.max_threads_per_block), f("max_threads_per_sm", l.max_threads_per_sm);
  f("max_shared_per_block", l.max_shared_per_block), f("max_shared_per_sm", l.max_shared_per_sm);
  f("registers_per_sm", l.registers_per_sm), f("max_blocks_per_sm", l.max_blocks_per_sm), f("l2_bytes", l.l2_bytes);
}

// Later than the first recordings: absent where a recording lacks them.
template <class V> void clock_fields(V&& f, auto& d) {
  f("max_sm_clock_mhz", d.max_sm_clock_mhz), f("memory_clock_mhz", d.memory_clock_mhz);
  f("memory_bus_bits", d.memory_bus_bits);
}

ordered_json device_json(const DeviceInfo& d) {
  ordered_json limits, roofs;
  limits_fields([&](const char* key, const auto& v) { limits[key] = v; }, d.limits);
  for (const RoofName& roof : roof_names())
    if (d.roofs.*roof.member > 0) roofs[roof.name] = d.roofs.*roof.member;
  roofs["measured"] = d.roofs.measured;
  if (!d.roofs.driver.empty()) roofs["driver"] = d.roofs.driver;
  if (!d.roofs.clocks.empty()) roofs["sm_clocks_mhz"] = d.roofs.clocks;
  ordered_json out{
      {"backend", d.backend}, {"name", d.name},         {"arch", d.arch},   {"memory_bytes", d.memory_bytes},
      {"driver", d.driver},   {"compiler", d.compiler}, {"limits", limits}, {"roofs", roofs}};
  clock_fields([&](const char* key, const auto& v) { out[key] = v; }, d);
  return out;
}

// ---- writing ----

class Columns {
 public:
  template <class T> void add(const char* name, T value) { columns_[name].push_back(std::move(value)); }
  void write_to(ordered_json& out) const {
    for (const auto& [name, values] : columns_) {
      const bool uniform =
          std::all_of(values.begin(), values.end(), [&v = values](const auto& e) { return e == v[0]; });
      out[name] = uniform && !values[0].is_array() ? values[0] : ordered_json(values);
    }
  }

 private:
  std::map<std::string, std::vector<ordered_json>> columns_;
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

// Nanoseconds where the fastest trial takes less than 100 us; a power of ten more for each power of ten above.
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

void add_timing(Columns& columns, const Timing& t, double unit) {
  // What is far below the fastest median is shorter than a unit, and none is no time.
  const auto ticks = [unit](double us) {
    return us > 0 ? std::max<std::int64_t>(whole(us / unit), 1) : whole(us / unit);
  };
  const std::int64_t median = ticks(t.median_us);
  columns.add("median", median);
  columns.add("ci_low", median - ticks(t.ci_low_us));
  columns.add("ci_high", ticks(t.ci_high_us) - median);
  columns.add("min", median - ticks(t.min_us));
  columns.add("rel_iqr", whole(t.rel_iqr * 1e5));
  columns.add("clock_mhz", whole(t.sm_clock_mhz));
  columns.add("temperature_c", whole(t.temperature_c));
  columns.add("power_w", whole(t.power_w));
  ordered_json samples = ordered_json::array();
  std::int64_t last = 0;
  for (const float s : kept_samples(t.samples_us)) {
    const std::int64_t now = ticks(static_cast<double>(s));
    samples.push_back(samples.empty() ? median - now
                                      : now - last); // the first below the median, the others above each other
    last = now;
  }
  columns.add("samples", std::move(samples));
}

// ---- reading ----

struct Bad : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::int64_t kMostTicks = 1'000'000'000'000'000; // as many as whole() writes
constexpr double kMostUnit = 1e9;                          // us

std::int64_t whole_number(const ordered_json& v, const char* column, std::int64_t least, std::int64_t most) {
  if (!v.is_number_integer()) throw Bad(fmt::format("column '{}' holds something that is no whole number", column));
  // An unsigned value above the signed ones would wrap.
  const bool huge = v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  const auto value = huge ? most : v.get<std::int64_t>();
  if (huge || value < least || value > most)
    throw Bad(fmt::format("column '{}' holds {}, which is not between {} and {}", column, v.dump(), least, most));
  return value;
}

class ColumnReader {
 public:
  explicit ColumnReader(const ordered_json& columns) : columns_(columns) {}

  // The next value of a column: each call moves on. Range errors and other types surface as exceptions.
  const ordered_json& next(const char* name) {
    const auto found = columns_.find(name);
    if (found == columns_.end()) throw Bad(fmt::format("column '{}' is missing", name));
    if (!found->is_array()) return *found;
    const std::size_t at = positions_[name]++;
    if (at >= found->size()) throw Bad(fmt::format("column '{}' has only {} values", name, found->size()));
    return (*found)[at];
  }
  // What a sweep measures is never negative where `least` is 0; nothing measured comes near the other bound, and sums
  // of such values do not overflow.
  std::int64_t integer(const char* name, std::int64_t least = -kMostTicks, std::int64_t most = kMostTicks) {
    return whole_number(next(name), name, least, most);
  }
  int count(const char* name) { return static_cast<int>(integer(name, 0, std::numeric_limits<std::int32_t>::max())); }
  double number(const char* name) {
    const ordered_json& v = next(name);
    if (!v.is_number()) throw Bad(fmt::format("column '{}' holds something that is no number", name));
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
  t.rel_iqr = static_cast<double>(in.integer("rel_iqr", 0)) * 1e-5;
  t.sm_clock_mhz = static_cast<double>(in.integer("clock_mhz", 0));
  t.temperature_c = static_cast<double>(in.integer("temperature_c"));
  t.power_w = static_cast<double>(in.integer("power_w", 0));
  std::int64_t now = median;
  for (const ordered_json& step : in.next("samples").get_ref<const ordered_json::array_t&>()) {
    const std::int64_t by = whole_number(step, "samples", -kMostTicks, kMostTicks);
    now += t.samples_us.empty() ? -by : by;
    if (now <= 0 || now > 2 * kMostTicks) throw Bad("a sample is not positive, or too large");
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
      if (digit == std::string_view::npos) throw Bad("'configs' holds a character that is no digit");
      index = index * kDigits.size() + digit;
    }
    if (index >= known.size()) throw Bad("'configs' points outside the values of a parameter");
    config.push_back(known[index]);
  }
  return config;
}

DeviceInfo read_device(const ordered_json& j) {
  DeviceInfo d;
  j.at("backend").get_to(d.backend), j.at("name").get_to(d.name), j.at("arch").get_to(d.arch);
  j.at("memory_bytes").get_to(d.memory_bytes), j.at("driver").get_to(d.driver), j.at("compiler").get_to(d.compiler);
  const auto read = [](const ordered_json& from, const char* key, auto& v) {
    from.at(key).get_to(v);
    if (!(v >= 0)) throw Bad(fmt::format("'{}' of the device is negative", key));
  };
  limits_fields([&](const char* key, auto& v) { read(j.at("limits"), key, v); }, d.limits);
  clock_fields(
      [&](const char* key, auto& v) {
        if (j.contains(key)) read(j, key, v);
      },
      d);
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
    values.push_back(param.at(1).get<std::vector<std::int64_t>>());
  }
  const auto count = j.at("trials").get<std::size_t>();
  const auto width = j.at("width").get<std::size_t>();
  const auto unit = j.at("unit_us").get<double>();
  const auto configs = j.at("configs").get<std::string>();
  const auto status = j.at("status").get<std::string>();
  const auto has = j.at("has").get<std::string>();
  const auto texts = j.at("texts").get<std::vector<std::string>>();
  // The strings' lengths bound `count` by the size of the file, before anything is allocated for it.
  if (width < 1 || width > 6) throw Bad("'width' is not between 1 and 6");
  if (!(unit > 0 && unit <= kMostUnit)) throw Bad("'unit_us' is not positive, or too large");
  if (status.size() != count || has.size() != count || configs.size() != count * width * values.size())
    throw Bad(fmt::format("'status', 'has' or 'configs' is not as long as {} trials", count));

  ColumnReader in(j.at("columns"));
  r.trials.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Trial& t = r.trials[i];
    const int code = status[i] - '0';
    if (code < 0 || code > static_cast<int>(TrialStatus::unstable)) throw Bad("'status' holds an unknown code");
    t.status = static_cast<TrialStatus>(code);
    const auto flags = static_cast<unsigned>(kDigits.find(has[i]));
    if (flags > 15) throw Bad("'has' holds an unknown code");
    t.config = read_config(configs, i * width * values.size(), width, values);
    t.resources.registers = in.count("registers");
    t.resources.spill_bytes = in.count("spill_bytes");
    t.resources.static_shared_bytes = in.count("static_shared_bytes");
    t.resources.occupancy = static_cast<double>(in.integer("occupancy", 0, 1000)) * 1e-3;
    t.compile_ms = static_cast<double>(in.integer("compile_ms", 0));
    t.verify_ms = static_cast<double>(in.integer("verify_ms", 0));
    t.measure_ms = static_cast<double>(in.integer("measure_ms", 0));
    if (t.status != TrialStatus::ok) t.evidence = in.text("evidence", texts);
    if (flags & kVerdict) {
      Verdict& v = t.verdict.emplace();
      v.correct = (flags & kCorrect) != 0;
      v.worst_ratio = in.number("worst_ratio");
      if (!v.correct) {
        v.max_abs_error = in.number("max_abs_error");
        v.max_rel_error = in.number("max_rel_error");
        v.mismatches = in.integer("mismatches", 0);
        v.worst_index = in.integer("worst_index");
        v.worst_buffer = in.text("worst_buffer", texts);
        v.detail = t.evidence;
      }
    }
    if (flags & kTiming) t.timing = read_timing(in, unit, (flags & kComplete) != 0, r.cold_l2);
    if (t.status == TrialStatus::ok && !t.timing) throw Bad("a trial is marked ok but has no time");
  }
  in.expect_end();
  if (const auto findings = j.find("findings"); findings != j.end()) read_findings(*findings, r.trials);
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
    columns.add("registers", t.resources.registers);
    columns.add("spill_bytes", t.resources.spill_bytes);
    columns.add("static_shared_bytes", t.resources.static_shared_bytes);
    columns.add("occupancy", whole(t.resources.occupancy * 1e3));
    columns.add("compile_ms", whole(t.compile_ms));
    columns.add("verify_ms", whole(t.verify_ms));
    columns.add("measure_ms", whole(t.measure_ms));
    if (t.status != TrialStatus::ok) columns.add("evidence", texts.code(t.evidence.substr(0, kEvidenceKept)));
    if (t.verdict) {
      columns.add("worst_ratio", three_digits(t.verdict->worst_ratio));
      if (!correct) {
        columns.add("max_abs_error", three_digits(t.verdict->max_abs_error));
        columns.add("max_rel_error", three_digits(t.verdict->max_rel_error));
        columns.add("mismatches", t.verdict->mismatches);
        columns.add("worst_index", t.verdict->worst_index);
        columns.add("worst_buffer", texts.code(t.verdict->worst_buffer));
      }
    }
    if (t.timing) add_timing(columns, *t.timing, unit);
  }
  ordered_json params = ordered_json::array();
  for (std::size_t p = 0; p < r.param_names.size(); ++p) params.push_back({r.param_names[p], code.values[p]});
  // What find_recording looks for comes first, within its peek.
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
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<Recording> parse_recording(const std::string& text, const std::string& origin) {
  const auto bad = [&](const std::string& what) {
    return fail(ErrorKind::bad_input, fmt::format("{}: {}", origin, what));
  };
  ordered_json j;
  try {
    j = ordered_json::parse(text);
  } catch (const ordered_json::parse_error& e) {
    if (text.find(kType) == std::string::npos)
      return bad("not a recording: this is no JSON; `warptune record` makes recordings");
    return bad(fmt::format("the recording is truncated or damaged at byte {}; copy or record it again", e.byte));
  } catch (const ordered_json::exception&) { // out_of_range, with a sentence for programmers
    return bad("the recording is damaged: it holds a number that is too large; copy or record it again");
  }
  try {
    if (!j.is_object() || !j.contains("type") || j["type"] != kType)
      return bad("not a recording; `warptune record` makes recordings");
    if (const int format = j.at("format").get<int>(); format != kFormat)
      return bad(fmt::format("the recording has format {}, and this warptune reads format {}; {}", format, kFormat,
                             format > kFormat ? "update warptune" : "record it again"));
    Recording r;
    j.at("kernel").get_to(r.kernel), j.at("problem").get_to(r.problem), j.at("source_hash").get_to(r.source_hash);
    j.at("recorded_at").get_to(r.recorded_at), j.at("warptune").get_to(r.version), j.at("strategy").get_to(r.strategy);
    j.at("cold_l2").get_to(r.cold_l2);
    r.device = read_device(j.at("device"));
    read_trials(j, r);
    return r;
  } catch (const std::exception& e) {
    return bad(fmt::format("the recording is damaged: {}; copy or record it again", e.what()));
  }
}

} // namespace warptune

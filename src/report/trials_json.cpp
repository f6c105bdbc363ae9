#include "report/trials_json.h"

#include "core/device_readings.h"
#include "core/sanitize.h"
#include "report/markup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace warptune::report {
namespace {

using json = nlohmann::ordered_json;

// Thousands of different compiler logs must not make a report too large to send.
constexpr std::size_t kAllEvidence = 400000, kShortest = 160, kLongest = 4000; // bytes

// Writes whole numbers without ".0", which columns of counters would repeat a hundred thousand times.
json number(double value, int digits = 6) {
  constexpr double kExact = 9007199254740992.0; // 2^53: up to here a double holds every whole number
  const double short_value = rounded(value, digits);
  if (std::abs(short_value) < kExact && short_value == std::trunc(short_value))
    return json(static_cast<std::int64_t>(short_value));
  return json(short_value);
}

json finite(double value) { return std::isfinite(value) ? number(value) : json(nullptr); }

// Values derived from bytes, operations and the median, which themselves have six digits.
json derived(double value) { return value > 0 && std::isfinite(value) ? number(value, 4) : json(nullptr); }

// Stores each text once and gives its place.
class TextTable {
 public:
  json place(const std::string& text) {
    if (text.empty()) return nullptr;
    const auto [found, is_new] = places_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  json texts() const {
    const std::size_t most = texts_.empty() ? kLongest : std::clamp(kAllEvidence / texts_.size(), kShortest, kLongest);
    json out = json::array();
    for (const std::string& text : texts_) {
      const std::string shown = sanitize_lines(text);
      std::size_t end = std::min(most, shown.size());
      while (end < shown.size() && end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
      out.push_back(end < shown.size() ? shown.substr(0, end) + " ..." : shown);
    }
    return out;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
};

template <class Get> json column(const View& view, Get&& get) {
  json out = json::array();
  for (const Point& point : view.points) out.push_back(get(point));
  return out;
}

// The part of a trial to which a member belongs; nullptr: the trial has no such part.
template <class Owner> const Owner* part_of(const Trial& trial) {
  if constexpr (std::is_same_v<Owner, Trial>) return &trial;
  if constexpr (std::is_same_v<Owner, KernelResources>) return &trial.resources;
  if constexpr (std::is_same_v<Owner, Timing>) return trial.timing ? &*trial.timing : nullptr;
  if constexpr (std::is_same_v<Owner, PowerReading>) return trial.power ? &*trial.power : nullptr;
}

// Calls `get` with the part of each trial; null for a trial without the part.
template <class Owner, class Get> json part_column(const View& view, Get&& get) {
  return column(view, [&](const Point& p) {
    const Owner* part = part_of<Owner>(p.trial);
    return part ? json(get(*part)) : json(nullptr);
  });
}

// A member under its own name. Numbers that are not positive are unknown.
template <class Owner, class T> void add_member(json& trials, const View& view, T Owner::*at) {
  trials[member_name(at)] = part_column<Owner>(view, [at](const Owner& part) {
    if constexpr (std::is_floating_point_v<T>) return positive(part.*at);
    return json(part.*at);
  });
}

// Members that were added after the first schema (core/members.h).
template <class Owner> void add_later(json& trials, const View& view) {
  for_each_scalar<Owner>([&](const auto& m) {
    if constexpr (std::is_arithmetic_v<MemberValue<decltype(m)>>)
      if (m.traits.since > 1) add_member(trials, view, m.at);
  });
}

// Labels as texts. Null where the configuration's implementation has no such param.
json config_columns(const View& view) {
  json out = json::array();
  for (std::size_t i = 0; i < view.params.size(); ++i) {
    const Param& param = view.params[i];
    const std::string given = "," + param.name + "=";
    out.push_back(column(view, [&](const Point& p) {
      if (i >= p.trial.config.size() || ("," + p.config).find(given) == std::string::npos) return json(nullptr);
      return param.labels.empty() ? json(p.trial.config[i]) : json(param.text_of(p.trial.config[i]));
    }));
  }
  return out;
}

json levels_json(const View& view) {
  json out = json::object();
  for (const Level level : kLevels) {
    const auto known = [&](const Point& p) { return p.at(level).origin != Origin::none; };
    if (std::none_of(view.points.begin(), view.points.end(), known)) continue;
    out[level_name(level)] = {
        {"source", column(view,
                          [&](const Point& p) {
                            return known(p)
                                       ? json(static_cast<int>(p.at(level).origin) - static_cast<int>(Origin::model))
                                       : json(nullptr);
                          })},
        {"bytes", column(view, [&](const Point& p) { return positive(p.at(level).bytes); })},
        {"intensity", column(view, [&](const Point& p) { return derived(p.at(level).intensity); })},
        {"gbs", column(view, [&](const Point& p) { return derived(p.at(level).gbs); })}};
  }
  return out;
}

std::vector<std::string> metric_names(const View& view) {
  std::set<std::string> names;
  for (const Point& p : view.points)
    if (p.trial.profile)
      for (const auto& [name, value] : p.trial.profile->counters) names.insert(name);
  return {names.begin(), names.end()};
}

json counter_columns(const View& view, const std::vector<std::string>& metrics) {
  json out = json::array();
  for (const std::string& metric : metrics)
    out.push_back(column(view, [&](const Point& p) {
      if (!p.trial.profile) return json(nullptr);
      const auto found = p.trial.profile->counters.find(metric);
      return found == p.trial.profile->counters.end() ? json(nullptr) : finite(found->second);
    }));
  return out;
}

} // namespace

json positive(double value) { return value > 0 && std::isfinite(value) ? number(value) : json(nullptr); }

void add_trials(json& out, const View& view, const std::map<std::string, std::string>& meanings) {
  const std::vector<std::string> metrics = metric_names(view);
  out["statuses"] = json::array();
  for (int s = 0; s <= static_cast<int>(TrialStatus::unstable); ++s)
    out["statuses"].push_back(status_name(static_cast<TrialStatus>(s)));
  TextTable evidence;
  json trials = {{"n", view.points.size()}};
  int id = 0;
  trials["id"] = column(view, [&](const Point&) { return json(++id); }); // in the order of measurement
  trials["status"] = column(view, [](const Point& p) { return json(static_cast<int>(p.trial.status)); });
  trials["evidence"] = column(view, [&](const Point& p) { return evidence.place(p.trial.evidence); });
  trials["config"] = config_columns(view);
  const auto add = [&](auto... members) { (add_member(trials, view, members), ...); };
  add(&Timing::complete, &Timing::median_us, &Timing::ci_low_us, &Timing::ci_high_us, &Timing::min_us);
  trials["rel_iqr"] = part_column<Timing>(view, [](const Timing& t) { return finite(t.rel_iqr); });
  trials["samples"] = part_column<Timing>(view, [](const Timing& t) { return t.samples_us.size(); });
  add(&KernelResources::registers, &KernelResources::spill_bytes);
  trials["shared_bytes"] = column(view, [](const Point& p) { return json(p.shared_bytes); });
  add(&KernelResources::occupancy, &Trial::compile_ms, &Timing::sm_clock_mhz, &Timing::temperature_c, &Timing::power_w,
      &PowerReading::energy_mj, &PowerReading::average_w);
  trials["throttled"] =
      part_column<PowerReading>(view, [](const PowerReading& r) { return !throttle_text(r.throttle_reasons).empty(); });
  add_later<Timing>(trials, view);
  add_later<PowerReading>(trials, view);
  add_later<KernelResources>(trials, view);
  add_later<Trial>(trials, view);
  trials["counters"] = counter_columns(view, metrics);
  trials["tflops"] = column(view, [](const Point& p) { return derived(p.tflops); });
  trials["levels"] = levels_json(view);
  out["evidences"] = evidence.texts();
  out["metrics"] = json::array();
  for (const std::string& metric : metrics) {
    const auto known = meanings.find(metric);
    out["metrics"].push_back(
        {{"name", sanitize(metric)}, {"meaning", known == meanings.end() ? std::string() : known->second}});
  }
  out["trials"] = std::move(trials);
}

} // namespace warptune::report

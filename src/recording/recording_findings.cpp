#include "recording/recording_findings.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace warptune {
namespace {

using nlohmann::ordered_json;

constexpr double kMost = 1e18; // bound for every counted or measured value of a kernel
constexpr std::int64_t kMaxPasses = 1000;

// Counts are exact integers; ratios and averages need at most six digits.
ordered_json number(double v) {
  if (!std::isfinite(v)) return nullptr;
  if (v == std::floor(v) && std::fabs(v) < 9e15) return static_cast<std::int64_t>(v);
  return std::strtod(fmt::format("{:.6g}", v).c_str(), nullptr);
}

std::int64_t whole(const ordered_json& v, const char* what, std::int64_t most) {
  const auto value = v.is_number_integer() ? v.get<std::int64_t>() : -1;
  if (value < 0 || value > most)
    throw std::runtime_error(fmt::format("{} is {}, which is not a whole number from 0 to {}", what, v.dump(), most));
  return value;
}

double amount(const ordered_json& v, const char* what) {
  const double value = v.is_number() ? v.get<double>() : -1;
  if (!(value >= 0 && value <= kMost))
    throw std::runtime_error(fmt::format("{} is {}, which is not a number from 0 to {:g}", what, v.dump(), kMost));
  return value;
}

Trial& trial_at(const ordered_json& place, std::vector<Trial>& trials) {
  const auto at = whole(place, "the position of a trial in 'findings'", std::numeric_limits<std::int32_t>::max());
  if (at >= static_cast<std::int64_t>(trials.size()))
    throw std::runtime_error("'findings' names a trial that is not in the recording");
  return trials[static_cast<std::size_t>(at)];
}

ordered_json profiles_json(const std::vector<Trial>& trials) {
  std::map<ordered_json, std::vector<std::size_t>> groups; // trials, grouped by how they were counted
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (const auto& p = trials[i].profile) {
      ordered_json how = ordered_json::object();
      for_each_scalar<Profile>([&](const auto& m) { how[m.name] = (*p).*m.at; });
      groups[std::move(how)].push_back(i);
    }
  ordered_json out = ordered_json::array();
  for (const auto& [how, places] : groups) {
    std::set<std::string> names;
    for (const std::size_t i : places)
      for (const auto& [name, value] : trials[i].profile->counters) names.insert(name);
    ordered_json counters = ordered_json::object();
    for (const std::string& name : names)
      for (const std::size_t i : places) {
        const auto found = trials[i].profile->counters.find(name);
        counters[name].push_back(found == trials[i].profile->counters.end() ? nullptr : number(found->second));
      }
    ordered_json group = how;
    group["trials"] = places;
    group["counters"] = std::move(counters);
    out.push_back(std::move(group));
  }
  return out;
}

Profile read_how(const ordered_json& group) {
  Profile profile;
  for_each_scalar<Profile>([&](const auto& m) {
    using Value = MemberValue<decltype(m)>;
    if (m.traits.since > 1 && !group.contains(m.name)) return;
    const ordered_json& v = group.at(m.name);
    if constexpr (std::is_same_v<Value, int>)
      profile.*m.at = static_cast<int>(whole(v, fmt::format("'{}'", m.name).c_str(), kMaxPasses));
    else
      v.get_to(profile.*m.at);
  });
  return profile;
}

PowerReading read_power(const ordered_json& row) {
  PowerReading p;
  std::size_t i = 1; // the values come after the index of the trial
  for_each_scalar<PowerReading>([&](const auto& m) {
    using Value = MemberValue<decltype(m)>;
    if (m.traits.since > 1 && i >= row.size()) return;
    if constexpr (std::is_floating_point_v<Value>)
      p.*m.at = amount(row.at(i++), "a reading of 'power'");
    else
      p.*m.at = static_cast<Value>(whole(row.at(i++), "a count of 'power'", std::numeric_limits<std::int64_t>::max()));
  });
  if (!(p.energy_mj > 0 && p.average_w > 0 && p.launches > 0 && p.window_ms > 0))
    throw std::runtime_error("an energy, a power or a measuring window is not positive");
  return p;
}

} // namespace

ordered_json findings_json(const std::vector<Trial>& trials) {
  ordered_json out = ordered_json::object();
  if (ordered_json profiles = profiles_json(trials); !profiles.empty()) out["profiles"] = std::move(profiles);
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (const auto& p = trials[i].power) {
      ordered_json row = ordered_json::array({i});
      for_each_scalar<PowerReading>([&](const auto& m) {
        if constexpr (std::is_floating_point_v<MemberValue<decltype(m)>>)
          row.push_back(number((*p).*m.at));
        else
          row.push_back((*p).*m.at);
      });
      out["power"].push_back(std::move(row));
    }
  return out;
}

void read_findings(const ordered_json& findings, std::vector<Trial>& trials) {
  if (!findings.is_object()) throw std::runtime_error("'findings' is not an object");
  if (const auto profiles = findings.find("profiles"); profiles != findings.end())
    for (const ordered_json& group : *profiles) {
      const ordered_json& places = group.at("trials");
      const Profile how = read_how(group);
      for (const ordered_json& place : places) trial_at(place, trials).profile = how;
      for (const auto& [name, values] : group.at("counters").items()) {
        if (values.size() != places.size())
          throw std::runtime_error(
              fmt::format("the counter '{}' has {} values for {} trials", name, values.size(), places.size()));
        for (std::size_t i = 0; i < places.size(); ++i)
          if (!values[i].is_null())
            trial_at(places[i], trials).profile->counters[name] = amount(values[i], "a counter");
      }
    }
  if (const auto power = findings.find("power"); power != findings.end())
    for (const ordered_json& row : *power) trial_at(row.at(0), trials).power = read_power(row);
}

} // namespace warptune

#include "recording/recording_findings.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

namespace warptune {
namespace {

using nlohmann::ordered_json;

constexpr double kMost = 1e18; // of anything that is counted or measured of a kernel
constexpr std::int64_t kMostPasses = 1000;

// Counts are whole and exact; shares and averages need no more than six digits.
ordered_json number(double v) {
  if (!std::isfinite(v)) return nullptr;
  if (v == std::floor(v) && std::fabs(v) < 9e15) return static_cast<std::int64_t>(v);
  return std::strtod(fmt::format("{:.6g}", v).c_str(), nullptr);
}

std::int64_t whole(const ordered_json& v, const char* what, std::int64_t most) {
  const auto value = v.is_number_integer() ? v.get<std::int64_t>() : -1;
  if (value < 0 || value > most)
    throw std::runtime_error(fmt::format("{} is {}, which is no whole number from 0 to {}", what, v.dump(), most));
  return value;
}

double amount(const ordered_json& v, const char* what) {
  const double value = v.is_number() ? v.get<double>() : -1;
  if (!(value >= 0 && value <= kMost)) throw std::runtime_error(fmt::format("{} is {}", what, v.dump()));
  return value;
}

Trial& trial_at(const ordered_json& place, std::vector<Trial>& trials) {
  const auto at = whole(place, "the place of a trial in 'findings'", std::numeric_limits<std::int32_t>::max());
  if (at >= static_cast<std::int64_t>(trials.size()))
    throw std::runtime_error("'findings' speaks of a trial that the recording does not hold");
  return trials[static_cast<std::size_t>(at)];
}

ordered_json profiles_json(const std::vector<Trial>& trials) {
  std::map<std::tuple<std::string, int, bool>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (const auto& p = trials[i].profile) groups[{p->source, p->passes, p->cold_l2}].push_back(i);
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
    out.push_back({{"source", std::get<0>(how)},
                   {"passes", std::get<1>(how)},
                   {"cold_l2", std::get<2>(how)},
                   {"trials", places},
                   {"counters", std::move(counters)}});
  }
  return out;
}

} // namespace

ordered_json findings_json(const std::vector<Trial>& trials) {
  ordered_json out = ordered_json::object();
  if (ordered_json profiles = profiles_json(trials); !profiles.empty()) out["profiles"] = std::move(profiles);
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (const auto& p = trials[i].power)
      out["power"].push_back({i, number(p->energy_mj), number(p->average_w), number(p->sm_clock_mhz),
                              number(p->temperature_c), p->throttle_reasons, p->launches, number(p->window_ms)});
  return out;
}

void read_findings(const ordered_json& findings, std::vector<Trial>& trials) {
  if (!findings.is_object()) throw std::runtime_error("'findings' is no object");
  if (const auto profiles = findings.find("profiles"); profiles != findings.end())
    for (const ordered_json& group : *profiles) {
      const ordered_json& places = group.at("trials");
      for (const ordered_json& place : places)
        trial_at(place, trials).profile = Profile{{},
                                                  group.at("source").get<std::string>(),
                                                  static_cast<int>(whole(group.at("passes"), "'passes'", kMostPasses)),
                                                  group.at("cold_l2").get<bool>()};
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
    for (const ordered_json& row : *power) {
      PowerReading p;
      std::size_t i = 1;
      for (double* value : {&p.energy_mj, &p.average_w, &p.sm_clock_mhz, &p.temperature_c})
        *value = amount(row.at(i++), "a reading of 'power'");
      constexpr std::int64_t kMostWhole = std::numeric_limits<std::int64_t>::max();
      p.throttle_reasons = static_cast<std::uint64_t>(whole(row.at(5), "the reasons for throttling", kMostWhole));
      p.launches = whole(row.at(6), "the number of launches", kMostWhole);
      p.window_ms = amount(row.at(7), "a window of 'power'");
      if (!(p.energy_mj > 0 && p.average_w > 0 && p.launches > 0 && p.window_ms > 0))
        throw std::runtime_error("an energy, a power or their window is not positive");
      trial_at(row.at(0), trials).power = p;
    }
}

} // namespace warptune

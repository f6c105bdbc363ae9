#include "cli/json_output.h"

#include "cli/output.h"

#include <nlohmann/json.hpp>
#include <type_traits>

namespace warptune::cli {

using nlohmann::json;

namespace {

template <class T> json scalars_json(const T& value) {
  json out = json::object();
  for_each_scalar<T>([&](const auto& m) {
    out[m.name] = value.*m.at;
    if constexpr (std::is_floating_point_v<MemberValue<decltype(m)>>)
      if (m.traits.unknown_at_0) out[m.name] = or_null(value.*m.at);
  });
  return out;
}

} // namespace

json or_null(double number) { return number > 0 ? json(number) : json(nullptr); }
json or_null(std::int64_t number) { return number > 0 ? json(number) : json(nullptr); }
json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json to_json(const Roofs& r) {
  json out = {{"measured", r.measured}, {"driver", r.driver}, {"sm_clocks_mhz", r.clocks}};
  for (const RoofName& roof : roof_names()) out[roof.name] = or_null(r.*roof.member);
  return out;
}

json to_json(const DeviceInfo& d) {
  json out = scalars_json(d);
  out["limits"] = scalars_json(d.limits);
  out["roofs"] = to_json(d.roofs);
  return out;
}

json to_json(const Timing& t) {
  json out = scalars_json(t);
  out["samples_us"] = t.samples_us;
  return out;
}

json to_json(const Verdict& v) { return scalars_json(v); }

json to_json(const Profile& p) {
  json out = scalars_json(p);
  out["counters"] = p.counters;
  return out;
}

json to_json(const PowerReading& p) { return scalars_json(p); }

json to_json(const Trial& t) {
  json out = scalars_json(t);
  out.update(scalars_json(t.resources));
  out["status"] = status_name(t.status);
  const auto or_null = [](const auto& part) { return part ? to_json(*part) : json(nullptr); };
  out["verdict"] = or_null(t.verdict);
  out["timing"] = or_null(t.timing);
  out["profile"] = or_null(t.profile);
  out["power"] = or_null(t.power);
  return out;
}

json to_json(const CheckRecord& c) {
  return {{"status", check_name(c.status)},
          {"checked_at", c.checked_at},
          {"driver", c.driver},
          {"compiler", c.compiler},
          {"version", c.version},
          {"rounds", c.rounds},
          {"median_us", or_null(c.median_us)},
          {"ci_low_us", or_null(c.ci_low_us)},
          {"ci_high_us", or_null(c.ci_high_us)},
          {"default_us", or_null(c.default_us)},
          {"evidence", c.evidence},
          {"stale", c.stale}};
}

json to_json(const BestRecord& b) {
  const ClockRange clocks = clocks_of(b.rounds);
  json out = {{"id", b.id},
              {"session", b.session},
              {"kernel", b.kernel},
              {"source_hash", b.source_hash},
              {"problem", b.problem},
              {"device", b.device_name},
              {"device_uuid", b.device_uuid},
              {"arch", b.arch},
              {"config", config_json(b.config)},
              {"config_text", b.config},
              {"default_config", b.default_config.empty() ? json(nullptr) : config_json(b.default_config)},
              {"default_config_text", b.default_config},
              {"median_us", b.median_us},
              {"ci_low_us", b.ci_low_us},
              {"ci_high_us", b.ci_high_us},
              {"default_us", or_null(b.default_us)},
              {"roofline_share", or_null(b.roofline_share)},
              {"bound", b.bound},
              {"certified", b.certified},
              {"p_value", b.p_value},
              {"objective", objective_name(b.objective)},
              {"energy_mj", or_null(b.energy_mj)},
              {"pareto", json::array()},
              {"finalists", json::array()},
              {"baseline", b.baseline.empty() ? json(nullptr) : json(b.baseline)},
              {"baseline_us", or_null(b.baseline_us)},
              {"without_calls", b.without_calls.empty() ? json(nullptr) : json(b.without_calls)},
              {"without_calls_us", or_null(b.without_calls_us)},
              {"sm_clock_mhz", or_null(clocks.median)},
              {"sm_clock_min_mhz", or_null(clocks.low)},
              {"sm_clock_max_mhz", or_null(clocks.high)},
              {"rounds", json::array()},
              {"outcome", b.outcome},
              {"tie_set", b.tie_set},
              {"checks", b.checks},
              {"cubin_hash", b.cubin_hash},
              {"created_at", b.created_at},
              {"driver", b.driver},
              {"compiler", b.compiler},
              {"version", b.version},
              {"stale", b.stale},
              {"last_check", b.last_check ? to_json(*b.last_check) : json(nullptr)},
              {"disqualified", b.disqualified.empty() ? json(nullptr) : json(b.disqualified)}};
  for (const ParetoPoint& p : b.pareto)
    out["pareto"].push_back({{"config", config_json(p.config)},
                             {"config_text", p.config},
                             {"median_us", p.median_us},
                             {"energy_mj", p.energy_mj}});
  for (const FinalTime& f : b.finalists)
    out["finalists"].push_back(
        {{"config", config_json(f.config)}, {"config_text", f.config}, {"median_us", f.median_us}});
  for (const FinalRound& round : b.rounds) {
    out["rounds"].push_back(scalars_json(round));
    out["rounds"].back().update(scalars_json(round.device));
  }
  // A result gets these fields when it is stored; a result that comes from the session itself lacks them.
  if (b.id == 0) out.erase("id");
  for (const char* name : {"created_at", "driver", "compiler", "version"})
    if (out[name] == "") out.erase(name);
  return out;
}

json to_json(const SessionRecord& s, const TrialCounts& trials) {
  const SessionIdentity& i = s.identity;
  return {{"id", s.id},
          {"kernel", i.kernel},
          {"source_hash", i.source_hash},
          {"problem", i.problem},
          {"backend", i.device_backend},
          {"device", i.device_name},
          {"device_uuid", i.device_uuid},
          {"arch", i.arch},
          {"driver", i.driver},
          {"compiler", i.compiler},
          {"strategy", i.strategy},
          {"budget", i.budget},
          {"seed", i.seed},
          {"cold_l2", i.cold_l2},
          {"objective", objective_name(i.objective)},
          {"state", session_state_name(s.state)},
          {"started_at", s.started_at},
          {"ended_at", s.ended_at},
          {"version", s.version},
          {"space_size", s.space_size},
          {"trial_count", trials.all},
          {"ok_count", trials.ok}};
}

json to_json(const RooflinePoint& p) {
  return {{"floor_us", or_null(p.floor_us)},
          {"share", or_null(p.share)},
          {"bound", p.bound},
          {"gbs", p.gbs},
          {"tflops", p.tflops},
          {"intensity", p.intensity}};
}

json to_json(const std::map<TrialStatus, std::int64_t>& by_status) {
  json out = json::object();
  for (const auto& [status, count] : by_status) out[std::string(status_name(status))] = count;
  return out;
}

json config_json(const KernelSpec& spec, const Config& config) {
  json out = json::object();
  const Implementation& implementation = spec.implementation(config);
  for (std::size_t i = 0; i < config.size() && i < spec.params.size(); ++i) {
    const Param& param = spec.params[i];
    if (i == 0 && spec.has_choice() ? false : !implementation.find_param(i)) continue;
    if (param.labels.empty())
      out[param.name] = config[i];
    else
      out[param.name] = param.text_of(config[i]);
  }
  return out;
}

json count_json(double count) {
  constexpr double kLargest = 9.2e18;
  return count >= 0 && count < kLargest ? json(static_cast<std::int64_t>(count)) : json(count);
}

json problem_json(const KernelSpec& spec, const Problem& problem) {
  json dims = json::object(), flags = json::object();
  for (std::size_t i = 0; i < problem.dims.size(); ++i) dims[spec.dims[i].name] = problem.dims[i];
  for (std::size_t f = 0; f < problem.flags.size(); ++f) {
    const Flag& flag = spec.flags[f];
    for (std::size_t v = 0; v < flag.values.size(); ++v)
      if (flag.values[v] == problem.flags[f]) flags[flag.name] = flag.labels[v];
  }
  json out = {
      {"dims", dims}, {"dtype", dtype_name(problem.dtype)}, {"flags", flags}, {"key", problem_key(spec, problem)}};
  for (std::size_t i = 0; i < problem.lists.size(); ++i) out["lists"][spec.lists[i].name] = problem.lists[i];
  return out;
}

const char* kind_name(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::bad_input:
    return "bad input";
  case ErrorKind::no_device:
    return "no device";
  case ErrorKind::no_candidate:
    return "no candidate";
  case ErrorKind::database:
    return "database";
  case ErrorKind::internal:
    return "internal";
  case ErrorKind::not_ready:
    return "not ready";
  case ErrorKind::interrupted:
    return "interrupted";
  }
  return "internal";
}

void print_json(const json& value) {
  // ASCII only, so that no name from a database can reach a terminal as an escape sequence.
  print(value.dump(2, ' ', true, json::error_handler_t::replace) + "\n");
}

json error_json(const Error& error) {
  return {
      {"error", {{"kind", kind_name(error.kind)}, {"code", static_cast<int>(error.kind)}, {"message", error.message}}}};
}

void print_json_error(const Error& error) { print_json(error_json(error)); }

} // namespace warptune::cli

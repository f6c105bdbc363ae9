#include "cli/json_output.h"

#include "cli/output.h"

#include <nlohmann/json.hpp>

namespace warptune::cli {

using nlohmann::json;

namespace {

json known(double value) { return value > 0 ? json(value) : json(nullptr); }

} // namespace

json to_json(const Roofs& r) {
  json out = {{"measured", r.measured}, {"driver", r.driver}, {"sm_clocks_mhz", r.clocks}};
  for (const RoofName& roof : roof_names()) out[roof.name] = known(r.*roof.member);
  return out;
}

json to_json(const DeviceInfo& d) {
  json limits;
  for (const DeviceLimitName& limit : device_limit_names()) limits[limit.name] = d.limits.*limit.member;
  return {{"backend", d.backend},
          {"name", d.name},
          {"uuid", d.uuid},
          {"arch", d.arch},
          {"memory_bytes", d.memory_bytes},
          {"driver", d.driver},
          {"compiler", d.compiler},
          {"limits", limits},
          {"max_sm_clock_mhz", known(d.max_sm_clock_mhz)},
          {"memory_clock_mhz", known(d.memory_clock_mhz)},
          {"memory_bus_bits", d.memory_bus_bits},
          {"roofs", to_json(d.roofs)}};
}

json to_json(const Timing& t) {
  return {{"median_us", t.median_us},
          {"ci_low_us", t.ci_low_us},
          {"ci_high_us", t.ci_high_us},
          {"min_us", t.min_us},
          {"rel_iqr", t.rel_iqr},
          {"samples_us", t.samples_us},
          {"cold_l2", t.cold_l2},
          {"complete", t.complete},
          {"sm_clock_mhz", known(t.sm_clock_mhz)},
          {"temperature_c", known(t.temperature_c)},
          {"power_w", known(t.power_w)}};
}

json to_json(const Verdict& v) {
  return {{"correct", v.correct},
          {"max_abs_error", v.max_abs_error},
          {"max_rel_error", v.max_rel_error},
          {"worst_ratio", v.worst_ratio},
          {"mismatches", v.mismatches},
          {"worst_index", v.worst_index},
          {"worst_buffer", v.worst_buffer},
          {"detail", v.detail}};
}

json to_json(const Profile& p) {
  return {{"counters", p.counters}, {"source", p.source}, {"passes", p.passes}, {"cold_l2", p.cold_l2}};
}

json to_json(const PowerReading& p) {
  return {{"energy_mj", p.energy_mj},
          {"average_w", p.average_w},
          {"sm_clock_mhz", known(p.sm_clock_mhz)},
          {"temperature_c", known(p.temperature_c)},
          {"throttle_reasons", p.throttle_reasons},
          {"launches", p.launches},
          {"window_ms", p.window_ms}};
}

json to_json(const Trial& t) {
  json out = {{"index", t.index},
              {"status", status_name(t.status)},
              {"evidence", t.evidence},
              {"cubin_hash", t.cubin_hash},
              {"registers", t.resources.registers},
              {"spill_bytes", t.resources.spill_bytes},
              {"static_shared_bytes", t.resources.static_shared_bytes},
              {"occupancy", known(t.resources.occupancy)},
              {"compile_ms", t.compile_ms},
              {"verify_ms", t.verify_ms},
              {"measure_ms", t.measure_ms},
              {"profile", nullptr},
              {"power", nullptr},
              {"verdict", nullptr},
              {"timing", nullptr}};
  if (t.verdict) out["verdict"] = to_json(*t.verdict);
  if (t.timing) out["timing"] = to_json(*t.timing);
  if (t.profile) out["profile"] = to_json(*t.profile);
  if (t.power) out["power"] = to_json(*t.power);
  return out;
}

json to_json(const CheckRecord& c) {
  return {{"status", check_name(c.status)},
          {"checked_at", c.checked_at},
          {"driver", c.driver},
          {"compiler", c.compiler},
          {"version", c.version},
          {"rounds", c.rounds},
          {"median_us", known(c.median_us)},
          {"ci_low_us", known(c.ci_low_us)},
          {"ci_high_us", known(c.ci_high_us)},
          {"default_us", known(c.default_us)},
          {"evidence", c.evidence},
          {"stale", c.stale}};
}

json to_json(const BestRecord& b) {
  json out = {{"id", b.id},
              {"session", b.session},
              {"kernel", b.kernel},
              {"source_hash", b.source_hash},
              {"problem", b.problem},
              {"device", b.device_name},
              {"device_uuid", b.device_uuid},
              {"arch", b.arch},
              {"config", b.config},
              {"default_config", b.default_config},
              {"median_us", b.median_us},
              {"ci_low_us", b.ci_low_us},
              {"ci_high_us", b.ci_high_us},
              {"default_us", known(b.default_us)},
              {"roofline_share", known(b.roofline_share)},
              {"bound", b.bound},
              {"certified", b.certified},
              {"p_value", b.p_value},
              {"objective", objective_name(b.objective)},
              {"energy_mj", known(b.energy_mj)},
              {"pareto", json::array()},
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
    out["pareto"].push_back({{"config", p.config}, {"median_us", p.median_us}, {"energy_mj", p.energy_mj}});
  // What a result gets when it is stored; one that comes from the session itself does not have it.
  if (b.id == 0) out.erase("id");
  for (const char* name : {"created_at", "driver", "compiler", "version"})
    if (out[name] == "") out.erase(name);
  return out;
}

json to_json(const SessionRecord& s) {
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
          {"trial_count", s.trial_count},
          {"ok_count", s.ok_count}};
}

json to_json(const RooflinePoint& p) {
  return {{"floor_us", known(p.floor_us)},
          {"share", known(p.share)},
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

json problem_json(const KernelSpec& spec, const Problem& problem) {
  json dims = json::object(), flags = json::object();
  for (std::size_t i = 0; i < problem.dims.size(); ++i) dims[spec.dims[i].name] = problem.dims[i];
  for (std::size_t f = 0; f < problem.flags.size(); ++f) {
    const Flag& flag = spec.flags[f];
    for (std::size_t v = 0; v < flag.values.size(); ++v)
      if (flag.values[v] == problem.flags[f]) flags[flag.name] = flag.labels[v];
  }
  return {{"dims", dims}, {"dtype", dtype_name(problem.dtype)}, {"flags", flags}, {"key", problem_key(spec, problem)}};
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
  // ASCII only, so that no name out of a database can reach a terminal as an escape sequence.
  print(value.dump(2, ' ', true, json::error_handler_t::replace) + "\n");
}

void print_json_error(const Error& error) {
  print_json({{"error",
               {{"kind", kind_name(error.kind)}, {"code", static_cast<int>(error.kind)}, {"message", error.message}}}});
}

} // namespace warptune::cli

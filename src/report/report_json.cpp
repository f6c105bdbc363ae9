#include "report/report_json.h"

#include "core/sanitize.h"
#include "report/config_json.h"
#include "report/markup.h"
#include "report/packed_column.h"
#include "report/samples_json.h"
#include "report/trials_json.h"
#include "report/why_json.h"
#include "warptune/build_config.h"

#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

using json = nlohmann::ordered_json;

constexpr int kFormat = 1;

json point_or_null(int index) { return index >= 0 ? json(index) : json(nullptr); }

json device_json(const View& v) {
  const DeviceInfo& d = v.device;
  return {{"name", sanitize(d.name)},         {"arch", sanitize(d.arch)},       {"driver", sanitize(d.driver)},
          {"compiler", sanitize(d.compiler)}, {"backend", sanitize(d.backend)}, {"recorded", v.recorded()}};
}

json session_json(const SessionRecord& s) {
  const SessionIdentity& i = s.identity;
  return {{"id", s.id},
          {"state", session_state_name(s.state)},
          {"strategy", sanitize(i.strategy)},
          {"budget", sanitize(i.budget)},
          {"seed", i.seed},
          {"cold_l2", i.cold_l2},
          {"objective", std::string(objective_name(i.objective))},
          {"started_at", sanitize(s.started_at)},
          {"ended_at", sanitize(s.ended_at)},
          {"version", sanitize(s.version)},
          {"source_hash", sanitize(i.source_hash)},
          {"space_size", s.space_size}};
}

json cost_json(const std::optional<CostEstimate>& cost) {
  if (!cost) return nullptr;
  json flops = json::object();
  for (const auto& [pipe, count] : cost->flops) flops[sanitize(pipe)] = rounded(count);
  return {{"bytes_read", rounded(cost->bytes_read)}, {"bytes_written", rounded(cost->bytes_written)}, {"flops", flops}};
}

json roofs_json(const std::vector<Roof>& roofs) {
  json out = json::array();
  for (const Roof& r : roofs)
    out.push_back({{"id", r.id},
                   {"label", r.label},
                   {"level", r.level},
                   {"unit", r.unit},
                   {"measured", positive(r.measured)},
                   {"theoretical", positive(r.theoretical)},
                   {"sm_clock_mhz", positive(r.sm_clock_mhz)},
                   {"relevant", r.relevant}});
  return out;
}

json params_json(const std::vector<Param>& params) {
  json out = json::array();
  for (const Param& p : params) {
    json& row = out.emplace_back(
        json{{"name", sanitize(p.name)},
             {"meaning", sanitize(p.meaning)},
             {"values", p.labels.empty() ? json(p.values) : json(p.labels)},
             {"default", p.labels.empty() ? json(p.default_value) : json(p.text_of(p.default_value))}});
    for (const auto& [implementation, meaning] : p.own_meanings)
      row["meanings"][sanitize(implementation)] = sanitize(meaning);
  }
  return out;
}

json best_json(const View& v) {
  if (!v.best) return nullptr;
  const BestRecord& b = *v.best;
  const ClockRange clocks = clocks_of(b.rounds);
  return {{"trial", point_or_null(v.best_point)},
          {"config", config_json(sanitize(b.config))},
          {"config_text", sanitize(b.config)},
          {"median_us", rounded(b.median_us)},
          {"ci_low_us", rounded(b.ci_low_us)},
          {"ci_high_us", rounded(b.ci_high_us)},
          {"default_us", positive(b.default_us)},
          {"roofline_share", positive(b.roofline_share)},
          {"bound", sanitize(b.bound)},
          {"certified", b.certified},
          {"p_value", rounded(b.p_value)},
          {"outcome", sanitize(b.outcome)},
          {"checks", sanitize(b.checks)},
          {"tie_set", v.ties},
          {"energy_mj", positive(b.energy_mj)},
          {"baseline", sanitize(b.baseline)},
          {"baseline_us", positive(b.baseline_us)},
          {"rounds", b.rounds.size()},
          {"sm_clock_mhz", positive(clocks.median)},
          {"sm_clock_min_mhz", positive(clocks.low)},
          {"sm_clock_max_mhz", positive(clocks.high)},
          {"at_power_cap", any_at_power_cap(b.rounds)}};
}

json baselines_json(const std::vector<Baseline>& baselines) {
  json out = json::array();
  for (const Baseline& b : baselines)
    out.push_back({{"name", sanitize(b.name)},
                   {"median_us", rounded(b.median_us)},
                   {"ci_low_us", positive(b.ci_low_us)},
                   {"ci_high_us", positive(b.ci_high_us)},
                   {"cold_l2", b.cold_l2},
                   {"source", sanitize(b.source)}});
  return out;
}

json bound_json(const std::optional<Bound>& bound) {
  if (!bound) return nullptr;
  json evidence = json::array();
  for (const Evidence& e : bound->evidence)
    evidence.push_back({{"label", sanitize(e.label)}, {"value", sanitize(e.value)}});
  return {{"sentence", sanitize(bound->sentence)},
          {"limit", sanitize(bound->limit)},
          {"share", positive(bound->share)},
          {"source", bound->source},
          {"evidence", evidence}};
}

// Rounds numbers to six digits and makes texts safe to print.
void tidy(json& value) {
  if (value.is_number_float()) value = rounded(value.get<double>());
  if (value.is_string()) value = sanitize(value.get<std::string>());
  if (value.is_structured())
    for (json& part : value) tidy(part);
}

json view_why_json(const View& v) {
  if (!v.why) return nullptr;
  json out = why_json(v.why->facts, v.why->why, v.why->measured);
  tidy(out);
  return out;
}

json view_json(const View& v, const std::map<std::string, std::string>& meanings) {
  json out = {{"id", sanitize(v.id)},           {"kernel", sanitize(v.kernel)}, {"problem", sanitize(v.problem)},
              {"summary", sanitize(v.summary)}, {"device", device_json(v)},     {"session", session_json(v.session)},
              {"cost", cost_json(v.cost)},      {"roofs", roofs_json(v.roofs)}, {"params", params_json(v.params)}};
  if (!v.database.empty()) out["database"] = sanitize(v.database);
  add_trials(out, v, meanings);
  out["best"] = best_json(v);
  out["default"] = point_or_null(v.default_point);
  out["fastest"] = point_or_null(v.fastest_point);
  out["pareto"] = v.pareto;
  out["baselines"] = baselines_json(v.baselines);
  out["bound"] = bound_json(v.bound);
  out["stalls"] = json::array();
  for (const auto& [reason, share] : v.stalls)
    out["stalls"].push_back({{"reason", sanitize(reason)}, {"share", rounded(share)}});
  out["why"] = view_why_json(v);
  out["sampled"] = samples_json(v);
  out["notes"] = json::array();
  for (const std::string& note : v.notes) out["notes"].push_back(sanitize(note));
  return out;
}

json report_json(const Report& report) {
  json out = {
      {"format", kFormat},     {"title", sanitize(report.title)},       {"generated_at", sanitize(report.generated_at)},
      {"warptune", kVersion},  {"database", sanitize(report.database)}, {"left_out", report.left_out},
      {"views", json::array()}};
  for (const View& view : report.views) out["views"].push_back(view_json(view, report.metric_meanings));
  return out;
}

std::string safe_text(const json& out) {
  // In JSON, '<' only occurs inside texts, where the escape means the same.
  std::string text;
  for (const char c : out.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

} // namespace

std::string json_text(const Report& report) { return safe_text(report_json(report)); }

std::string page_data(const Report& report) {
  json out = report_json(report);
  for (json& view : out["views"]) pack_trials(view["trials"]);
  return safe_text(out);
}

} // namespace warptune::report

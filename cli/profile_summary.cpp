#include "cli/profile_summary.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/device.h"
#include "predict/counter_facts.h"
#include "report/bound.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string amount(double value, const char* unit) {
  for (const auto& [factor, prefix] : {std::pair(1e12, "T"), {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (std::fabs(value) >= factor) return fmt::format("{:.4g} {}{}", value / factor, prefix, unit);
  return fmt::format("{:.4g} {}", value, unit);
}

std::string beside_model(double counted, double model, const char* unit) {
  std::string text = amount(counted, unit);
  if (model > 0) text += fmt::format(" ({:.2f}x the model's {})", counted / model, amount(model, unit));
  return text;
}

// The rate over the timed runs, because a counted run is slower.
std::string with_rate(std::string text, double bytes, double us) {
  return us > 0 ? text + ", " + rate_text(bytes / us * 1e-3) : text;
}

Facts counted_facts(const RunReport& report) {
  const CounterFacts f = counter_facts(report.profile->counters);
  const double us = report.timing.median_us;
  Facts facts;
  if (f.dram_read_bytes) facts.emplace_back("DRAM read", beside_model(*f.dram_read_bytes, report.cost.bytes_read, "B"));
  if (f.dram_written_bytes)
    facts.emplace_back("DRAM written", beside_model(*f.dram_written_bytes, report.cost.bytes_written, "B"));
  if (f.l2_bytes) facts.emplace_back("L2", with_rate(amount(*f.l2_bytes, "B"), *f.l2_bytes, us));
  if (f.l2_hit_share) facts.emplace_back("L2 hit", share_text(*f.l2_hit_share));
  if (f.l1_bytes) facts.emplace_back("L1", with_rate(amount(*f.l1_bytes, "B"), *f.l1_bytes, us));
  if (f.shared_bytes) facts.emplace_back("shared memory", with_rate(amount(*f.shared_bytes, "B"), *f.shared_bytes, us));
  if (f.warps_active_share) facts.emplace_back("warps active", share_text(*f.warps_active_share));
  if (f.instructions) facts.emplace_back("instructions", amount(*f.instructions, "warp instructions"));
  for (const auto& [pipe, flops] : f.flops) {
    double model = 0;
    for (const auto& [name, count] : report.cost.flops)
      if (name == pipe) model = count;
    facts.emplace_back(pipe, beside_model(flops, model, "flop"));
  }
  for (std::size_t i = 0; i < f.stalls.size() && i < 3; ++i)
    facts.emplace_back(i == 0 ? "stalled by" : "",
                       fmt::format("{} {}", f.stalls[i].first, share_text(f.stalls[i].second)));
  return facts;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "-";
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

report::Bound bound_of(const RunReport& run) {
  report::BoundFacts facts;
  facts.time_us = run.timing.median_us;
  facts.cost = run.cost;
  if (run.profile) facts.counters = counter_facts(run.profile->counters);
  facts.roofs = run.device.roofs;
  facts.issue_roof = report::issue_roof(run.device, run.timing.sm_clock_mhz);
  facts.resources = run.resources;
  facts.cold_l2 = run.timing.cold_l2;
  facts.is_profiled = true;
  return report::judge_bound(facts);
}

} // namespace

void print_profile_text(const ProfileSummary& s) {
  const RunReport& report = s.report;
  print("{} {} on {}\n", sanitize(s.asked.kernel.spec.name), sanitize(short_problem(s.asked.key())),
        sanitize(report.device.name));
  Facts facts = {{"config", config_text(s.asked.kernel.spec, s.config.config)}, {"which", s.config.what}};
  if (!report.verdict.correct) {
    facts.emplace_back("result", "wrong: " + report.verdict.detail);
  } else {
    const RooflinePoint& r = report.roofline;
    facts.emplace_back("time", fmt::format("{} ({} L2{})", time_text(report.timing.median_us),
                                           report.timing.cold_l2 ? "cold" : "warm",
                                           is_recorded_device(report.device.backend) ? ", median in the search" : ""));
    if (r.share > 0) facts.emplace_back("roofline", fmt::format("{} of the {} roof", share_text(r.share), r.bound));
    facts.emplace_back("verdict", bound_of(report).sentence);
  }
  if (report.profile) {
    const int passes = report.profile->passes;
    facts.emplace_back("counted",
                       fmt::format("by {} in {} {}", report.profile->source, passes, passes == 1 ? "pass" : "passes"));
    for (auto& fact : counted_facts(report)) facts.push_back(std::move(fact));
    facts.emplace_back("counters", s.stored);
  } else if (!report.no_counters.empty()) {
    facts.emplace_back("counters", "none: " + report.no_counters);
  }
  if (s.source != nullptr) {
    facts.emplace_back("sampled", samples_fact(*s.source));
    facts.emplace_back("samples", s.stored);
  }
  if (!report.no_samples.empty()) facts.emplace_back("sampled", "nothing: " + report.no_samples);
  print(std::string_view(render_facts(facts, terminal_width(1))));
  if (report.profile) {
    Table table({left("metric"), right("value")});
    for (const auto& [name, value] : report.profile->counters) table.add({name, number_text(value)});
    print("\n");
    print(std::string_view(table.render(terminal_width(1))));
  }
  std::vector<std::string> notes = s.notes;
  if (s.source != nullptr) print_source_text(*s.source, notes);
  print_notes(notes);
}

void print_profile_json(const ProfileSummary& s) {
  const KernelSpec& spec = s.asked.kernel.spec;
  const RunReport& report = s.report;
  nlohmann::json flops = nlohmann::json::object();
  for (const auto& [pipe, count] : report.cost.flops) flops[pipe] = count;
  nlohmann::json out = {
      {"kernel", spec.name},
      {"problem", problem_json(spec, s.asked.problem)},
      {"device", to_json(report.device)},
      {"config", config_json(spec, s.config.config)},
      {"config_text", config_text(spec, s.config.config)},
      {"verdict", to_json(report.verdict)},
      {"timing", report.verdict.correct ? to_json(report.timing) : nlohmann::json(nullptr)},
      {"roofline", to_json(report.roofline)},
      {"model",
       {{"bytes_read", report.cost.bytes_read}, {"bytes_written", report.cost.bytes_written}, {"flops", flops}}},
      {"counters", nullptr},
      {"no_counters", report.no_counters},
      {"notes", s.notes}};
  if (report.verdict.correct) {
    const report::Bound bound = bound_of(report);
    out["bound"] = {{"limit", bound.limit}, {"sentence", bound.sentence}, {"source", bound.source}};
  }
  if (report.profile) {
    out["counters"] = report.profile->counters;
    out["source"] = report.profile->source;
    out["passes"] = report.profile->passes;
  }
  if (!s.stored.empty()) out["stored"] = s.stored;
  if (s.source != nullptr) out["samples"] = source_json(*s.source);
  if (!report.no_samples.empty()) out["no_samples"] = report.no_samples;
  print_json(out);
}

} // namespace warptune::cli

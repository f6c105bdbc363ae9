#include "cli/why_summary.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "profiler/metric_sets.h"
#include "report/hot_lines.h"
#include "report/why_json.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;
using report::LaunchFacts;

constexpr double kSmallPart = 0.005; // share of the difference; stalls that explain less are not shown as text

report::WhySide side_of(const char* label, const WhySideData& data, const SourceFiles& sources) {
  report::WhySide side;
  side.label = label;
  side.time_us = data.time_us;
  side.sm_clock_mhz = data.trial.timing->sm_clock_mhz;
  if (data.trial.profile) side.counters = data.trial.profile->counters;
  if (data.samples) side.lines = report::find_hot_spots(*data.samples, sources).lines;
  return side;
}

struct ParamDifference {
  std::string name, a, b; // "-": the implementation does not have it
};

std::vector<ParamDifference> differing_params(const KernelSpec& spec, const WhyPair& pair) {
  const auto text_of = [&](const Config& config, std::size_t param) -> std::string {
    const auto& own = spec.implementation(config).params;
    const bool is_own = (spec.has_choice() && param == 0) ||
                        std::any_of(own.begin(), own.end(), [&](const OwnParam& one) { return one.index == param; });
    return is_own ? spec.params[param].text_of(config[param]) : "-";
  };
  std::vector<ParamDifference> all;
  for (std::size_t i = 0; i < spec.params.size(); ++i) {
    const std::string a = text_of(pair.a.config.config, i), b = text_of(pair.b.config.config, i);
    if (a != b) all.push_back({spec.params[i].name, a, b});
  }
  return all;
}

std::string dim_text(const Dim3& dim) {
  if (dim.z > 1) return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{} x {}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

// Rows of one launch; a side without it has dashes.
void add_launch_rows(Table& table, const std::string& prefix, const LaunchFacts* a, const LaunchFacts* b) {
  const auto add = [&](const char* name, const auto& text) {
    table.add({prefix + name, a != nullptr ? text(*a) : "-", b != nullptr ? text(*b) : "-"});
  };
  const auto unless_0 = [](double value, const std::string& text) { return value > 0 ? text : std::string("-"); };
  const auto has_cluster = [](const LaunchFacts* f) {
    return f != nullptr && f->cluster.x * f->cluster.y * f->cluster.z > 1;
  };
  add("grid", [](const LaunchFacts& f) { return dim_text(f.grid); });
  add("block", [](const LaunchFacts& f) { return dim_text(f.block); });
  if (has_cluster(a) || has_cluster(b)) add("cluster", [](const LaunchFacts& f) { return dim_text(f.cluster); });
  add("shared memory per block", [](const LaunchFacts& f) { return bytes_text(f.shared_bytes); });
  add("registers per thread",
      [&](const LaunchFacts& f) { return unless_0(static_cast<double>(f.registers), fmt::format("{}", f.registers)); });
  add("occupancy", [&](const LaunchFacts& f) { return share_text(f.occupancy); });
  add("waves", [&](const LaunchFacts& f) { return unless_0(f.waves, fmt::format("{:.2f}", f.waves)); });
}

std::string launch_table(const KernelSpec& spec, const WhyPair& pair) {
  Table table({left(""), right("A"), right("B")});
  for (const ParamDifference& param : differing_params(spec, pair)) table.add({param.name, param.a, param.b});
  const auto calls = [](const WhySideData& side) {
    return side.library_calls.empty() ? std::string("-") : fmt::format("{}", fmt::join(side.library_calls, ", "));
  };
  if (!pair.a.library_calls.empty() || !pair.b.library_calls.empty())
    table.add({"library calls", calls(pair.a), calls(pair.b)});
  const std::size_t count = std::max(pair.a.launches.size(), pair.b.launches.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](const WhySideData& side) { return i < side.launches.size() ? &side.launches[i] : nullptr; };
    add_launch_rows(table, count > 1 ? fmt::format("launch {}: ", i + 1) : "", at(pair.a), at(pair.b));
  }
  const auto spills = [](const WhySideData& side) { return fmt::format("{} B", side.trial.resources.spill_bytes); };
  if (pair.a.trial.resources.spill_bytes > 0 || pair.b.trial.resources.spill_bytes > 0)
    table.add({"spills per thread", spills(pair.a), spills(pair.b)});
  return table.render(terminal_width(1));
}

std::string part_text(double explains) { return fmt::format("{:.0f} %", 100 * explains); }

std::string resource_table(const report::Why& why) {
  Table table({left("resource"), right("A"), right("B"), right("B/A"), right("A busy"), right("B busy"),
               right("explains"), left("source")});
  for (const auto& one : why.resources)
    table.add({one.resource, amount_text(one.a_work, one.unit == "instructions" ? "instr" : one.unit),
               amount_text(one.b_work, one.unit == "instructions" ? "instr" : one.unit),
               one.a_work > 0 ? fmt::format("{:.2f}", one.b_work / one.a_work) : "-", time_text(one.a_us),
               time_text(one.b_us), part_text(one.explains), one.counted ? "counted" : "model"});
  return table.render(terminal_width(1));
}

std::string stall_table(const report::Why& why, const std::map<std::string, std::string>& meanings) {
  Table table({left("warps"), right("A"), right("B"), right("explains"), text("meaning")});
  for (const auto& one : why.stalls) {
    if (std::abs(one.explains) < kSmallPart) continue;
    const auto meaning = meanings.find(one.reason);
    table.add({one.reason, time_text(one.a_us), time_text(one.b_us), part_text(one.explains),
               meaning != meanings.end() ? meaning->second
               : one.reason == "issuing" ? "issued an instruction, or could have"
                                         : ""});
  }
  return table.render(terminal_width(1));
}

json launch_json(const LaunchFacts& f) {
  const auto dim = [](const Dim3& d) { return json{d.x, d.y, d.z}; };
  const auto or_null = [](auto value) { return value > 0 ? json(value) : json(nullptr); };
  return {{"kernel", f.kernel},
          {"grid", dim(f.grid)},
          {"block", dim(f.block)},
          {"cluster", dim(f.cluster)},
          {"shared_bytes", f.shared_bytes},
          {"registers", or_null(f.registers)},
          {"blocks_per_sm", or_null(f.blocks_per_sm)},
          {"occupancy", or_null(f.occupancy)},
          {"waves", or_null(f.waves)}};
}

json side_json(const KernelSpec& spec, const WhySideData& side) {
  json launches = json::array();
  for (const LaunchFacts& launch : side.launches) launches.push_back(launch_json(launch));
  return {{"config", config_json(spec, side.config.config)},
          {"config_text", side.text},
          {"what", side.config.what},
          {"origin", side.origin},
          {"launches", std::move(launches)},
          {"library_calls", side.library_calls},
          {"spill_bytes", side.trial.resources.spill_bytes},
          {"counters", side.trial.profile ? json(side.trial.profile->counters) : json(nullptr)}};
}

std::string line_table(const report::Why& why) {
  constexpr std::size_t kShown = 10;
  Table table(
      {left("line"), right("A"), right("B"), right("explains"), left("A stalls"), left("B stalls"), text("source")});
  for (std::size_t i = 0; i < why.lines.size() && i < kShown; ++i) {
    const report::LineDifference& one = why.lines[i];
    const auto or_dash = [](const std::string& stall) { return stall.empty() ? std::string("-") : stall; };
    table.add({one.file.empty() ? "-" : fmt::format("{}:{}", one.file, one.line), time_text(one.a_us),
               time_text(one.b_us), part_text(one.explains), or_dash(one.a_stall), or_dash(one.b_stall), one.text});
  }
  return table.render(terminal_width(1));
}

} // namespace

report::WhyFacts why_facts(const Asked& asked, const WhyPair& pair) {
  report::WhyFacts facts;
  facts.a = side_of("A", pair.a, asked.kernel.sources);
  facts.b = side_of("B", pair.b, asked.kernel.sources);
  facts.ratio = pair.ratio;
  if (auto cost = estimate_cost(asked.kernel.spec, asked.problem, pair.device)) facts.cost = std::move(*cost);
  facts.device = pair.device;
  facts.cold_l2 = pair.a.trial.timing->cold_l2;
  facts.stall_meanings = stall_meanings();
  return facts;
}

void print_why_text(const Asked& asked, const WhyPair& pair, const report::Why& why) {
  const KernelSpec& spec = asked.kernel.spec;
  print("{} {} on {}\n", sanitize(spec.name), sanitize(short_problem(asked.key())), sanitize(pair.device.name));
  const auto side_text = [](const WhySideData& side) { return fmt::format("{} ({})", side.text, side.config.what); };
  print(std::string_view(render_facts({{"A", side_text(pair.a)},
                                       {"B", side_text(pair.b)},
                                       {"time", fmt::format("A {}, B {}; measured {}", time_text(pair.a.time_us),
                                                            time_text(pair.b.time_us), pair.ratio_origin)},
                                       {"verdict", why.verdict}},
                                      terminal_width(1))));
  print("\n");
  print(std::string_view(launch_table(spec, pair)));
  if (!why.resources.empty()) {
    print("\n");
    print(std::string_view(resource_table(why)));
  }
  if (!why.stalls.empty()) {
    print("\n");
    print(std::string_view(stall_table(why, stall_meanings())));
  }
  if (!why.lines.empty()) {
    print("\n");
    print(std::string_view(line_table(why)));
  }
  print_notes(pair.notes);
}

void print_why_json(const Asked& asked, const WhyPair& pair, const report::WhyFacts& facts, const report::Why& why) {
  const KernelSpec& spec = asked.kernel.spec;
  json params = json::array();
  for (const ParamDifference& one : differing_params(spec, pair))
    params.push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}});
  json out = report::why_json(facts, why, pair.ratio_origin);
  out["a"].update(side_json(spec, pair.a));
  out["b"].update(side_json(spec, pair.b));
  out.update({{"kernel", spec.name},
              {"problem", problem_json(spec, asked.problem)},
              {"device", to_json(pair.device)},
              {"params", std::move(params)},
              {"notes", pair.notes}});
  print_json(out);
}

} // namespace warptune::cli

#include "cli/why_summary.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/why_tables.h"
#include "profiler/metric_sets.h"
#include "report/hot_lines.h"
#include "report/why_json.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;
using report::LaunchFacts;

report::WhySide side_of(const char* label, const WhySideData& data, const SourceFiles& sources) {
  report::WhySide side;
  side.label = label;
  side.time_us = data.time_us;
  side.sm_clock_mhz = data.trial.timing->sm_clock_mhz;
  if (data.trial.profile) side.counters = data.trial.profile->counters;
  if (data.samples) side.lines = report::find_hot_spots(*data.samples, sources).lines;
  return side;
}

json launch_json(const LaunchFacts& f) {
  const auto dim = [](const Dim3& d) { return json{d.x, d.y, d.z}; };
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

void print_why_text(const Asked& asked, const WhyPair& pair, const report::Why& why, bool wide) {
  const KernelSpec& spec = asked.kernel.spec;
  print_wrapped(fmt::format("{} {} on {}", spec.name, short_problem(asked.key()), pair.device.name));
  const auto side_text = [](const WhySideData& side) { return fmt::format("{} ({})", side.text, side.config.what); };
  print(std::string_view(render_facts({{"A", side_text(pair.a)},
                                       {"B", side_text(pair.b)},
                                       {"time", fmt::format("A {}, B {}; measured {}", time_text(pair.a.time_us),
                                                            time_text(pair.b.time_us), pair.ratio_origin)},
                                       {"verdict", why.verdict}},
                                      terminal_width(1))));
  for (const Table& table : why_tables(spec, pair, why, table_width(wide))) {
    print("\n");
    print_table(table, wide);
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

#include "cli/why_tables.h"

#include "cli/units.h"
#include "profiler/metric_sets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune::cli {
namespace {

using report::LaunchFacts;

constexpr double kSmallPart = 0.005;    // share of the difference; stalls that explain less are not shown as text
constexpr std::size_t kLongValue = 20;  // wider values of A and B go below their row if the table is too wide
constexpr std::size_t kShownLines = 10; // source lines

std::string dim_text(const Dim3& dim) {
  if (dim.z > 1) return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{} x {}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

// Adds the values of one launch; a side without it has dashes.
void add_launch(std::vector<ParamDifference>& rows, const std::string& prefix, const LaunchFacts* a,
                const LaunchFacts* b) {
  const auto add = [&](const char* name, const auto& text) {
    rows.push_back({prefix + name, a != nullptr ? text(*a) : "-", b != nullptr ? text(*b) : "-"});
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

std::vector<ParamDifference> launch_rows(const KernelSpec& spec, const WhyPair& pair) {
  std::vector<ParamDifference> rows = differing_params(spec, pair);
  const auto calls = [](const WhySideData& side) {
    return side.library_calls.empty() ? std::string("-") : fmt::format("{}", fmt::join(side.library_calls, ", "));
  };
  if (!pair.a.library_calls.empty() || !pair.b.library_calls.empty())
    rows.push_back({"library calls", calls(pair.a), calls(pair.b)});
  const std::size_t count = std::max(pair.a.launches.size(), pair.b.launches.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](const WhySideData& side) { return i < side.launches.size() ? &side.launches[i] : nullptr; };
    add_launch(rows, count > 1 ? fmt::format("launch {}: ", i + 1) : "", at(pair.a), at(pair.b));
  }
  const auto spills = [](const WhySideData& side) { return fmt::format("{} B", side.trial.resources.spill_bytes); };
  if (pair.a.trial.resources.spill_bytes > 0 || pair.b.trial.resources.spill_bytes > 0)
    rows.push_back({"spills per thread", spills(pair.a), spills(pair.b)});
  return rows;
}

// `below`: whether rows with long values have them below, for a narrow terminal.
Table launch_table(const std::vector<ParamDifference>& rows, bool below) {
  Table table({left(""), right("A"), right("B")});
  for (const ParamDifference& row : rows)
    if (below && std::max(display_width(row.a), display_width(row.b)) > kLongValue)
      table.add({row.name, "", ""}, {"A: " + row.a, "B: " + row.b});
    else
      table.add({row.name, row.a, row.b});
  return table;
}

std::string part_text(double explains) { return fmt::format("{:.0f} %", 100 * explains); }

Table resource_table(const report::Why& why) {
  Table table({left("resource"), right("A"), right("B"), left_out(2, right("B/A")), right("A busy"), right("B busy"),
               right("explains"), left_out(1, left("source"))});
  for (const auto& one : why.resources)
    table.add({one.resource, amount_text(one.a_work, one.unit == "instructions" ? "instr" : one.unit),
               amount_text(one.b_work, one.unit == "instructions" ? "instr" : one.unit),
               one.a_work > 0 ? fmt::format("{:.2f}", one.b_work / one.a_work) : "-", time_text(one.a_us),
               time_text(one.b_us), part_text(one.explains), one.counted ? "counted" : "model"});
  return table;
}

Table stall_table(const report::Why& why) {
  const auto meanings = stall_meanings();
  Table table({left("warps"), right("A"), right("B"), right("explains"), whole("meaning")});
  for (const auto& one : why.stalls) {
    if (std::abs(one.explains) < kSmallPart) continue;
    const auto meaning = meanings.find(one.reason);
    table.add({one.reason, time_text(one.a_us), time_text(one.b_us), part_text(one.explains),
               meaning != meanings.end() ? meaning->second
               : one.reason == "issuing" ? "issued an instruction, or could have"
                                         : ""});
  }
  return table;
}

Table line_table(const report::Why& why) {
  Table table({left("line"), right("A"), right("B"), right("explains"), left_out(1, whole("A stalls")),
               left_out(1, whole("B stalls")), whole("source")});
  for (std::size_t i = 0; i < why.lines.size() && i < kShownLines; ++i) {
    const report::LineDifference& one = why.lines[i];
    const auto or_dash = [](const std::string& stall) { return stall.empty() ? std::string("-") : stall; };
    table.add({one.file.empty() ? "-" : fmt::format("{}:{}", one.file, one.line), time_text(one.a_us),
               time_text(one.b_us), part_text(one.explains), or_dash(one.a_stall), or_dash(one.b_stall), one.text});
  }
  return table;
}

} // namespace

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

std::vector<Table> why_tables(const KernelSpec& spec, const WhyPair& pair, const report::Why& why, int width) {
  const std::vector<ParamDifference> launches = launch_rows(spec, pair);
  const Table beside = launch_table(launches, false);
  const bool fits = width == 0 || beside.width() <= static_cast<std::size_t>(width);
  std::vector<Table> tables = {fits ? beside : launch_table(launches, true), resource_table(why), stall_table(why),
                               line_table(why)};
  std::erase_if(tables, [](const Table& table) { return table.empty(); });
  return tables;
}

} // namespace warptune::cli

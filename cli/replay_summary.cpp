#include "cli/replay_summary.h"

#include "cli/json_output.h"
#include "cli/table.h"
#include "cli/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;
using Shares = std::array<double, kScoredBudgets.size()>;

std::string own_text(const ReplayReport& report, const std::string& strategy) {
  const auto found = report.own_ms.find(strategy);
  return found == report.own_ms.end() ? "-" : fmt::format("{:.3f}", found->second);
}

std::string quality_text(double share) { return std::isfinite(share) ? fmt::format("{:.3f}", share) : "-"; }

// A value that no run reached in a space is a lower bound: ">60".
std::string bound_text(std::string text, bool is_reached) { return is_reached ? text : ">" + text; }

std::string evaluations_text(double count, bool is_reached) {
  return bound_text(fmt::format("{:.0f}", count), is_reached);
}

std::string spent_text(double seconds, bool is_reached) {
  return std::isfinite(seconds) ? bound_text(duration_text(seconds), is_reached) : "-";
}

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json shares_json(const Shares& at) {
  json out;
  for (std::size_t b = 0; b < at.size(); ++b) out[std::to_string(kScoredBudgets[b])] = number(at[b]);
  return out;
}

} // namespace

std::string replay_table(const ReplayReport& report, bool per_space, int width) {
  std::vector<Column> columns = {left("strategy"), right("spaces"), right("seeds")};
  for (const std::int64_t budget : kScoredBudgets) columns.push_back(right(std::to_string(budget)));
  for (const char* title : {"worst at 100", "evals to 95 %", "99 %"}) columns.push_back(right(title));
  columns.push_back(left_out(2, right("time to 95 %")));
  columns.push_back(left_out(1, right("strategy ms per eval")));
  Table table(columns);
  const auto add = [&](const std::string& name, std::size_t spaces, const auto& score, const std::string& worst,
                       const std::string& own) {
    std::vector<std::string> cells = {name, spaces == 0 ? "" : std::to_string(spaces), std::to_string(score.seeds)};
    for (const double share : score.at) cells.push_back(quality_text(share));
    for (const std::string& cell : {worst, evaluations_text(score.evaluations_95, score.is_reached_95),
                                    evaluations_text(score.evaluations_99, score.is_reached_99),
                                    spent_text(score.spent_95_s, score.is_reached_95), own})
      cells.push_back(cell);
    table.add(std::move(cells));
  };
  for (const StrategyScore& s : report.scores) {
    add(s.strategy, s.spaces.size(), s, quality_text(s.worst_at_100), own_text(report, s.strategy));
    if (!per_space) continue;
    for (const auto& [name, of_space] : s.spaces) add("  " + name, 0, of_space, "", "");
  }
  return table.render(width);
}

void print_replay_json(const ReplayReport& report) {
  json spaces = json::array(), scores = json::array();
  for (const RecordedSpace& s : report.spaces) {
    const auto ok =
        std::count_if(s.outcomes.begin(), s.outcomes.end(), [](const auto& o) { return o.status == TrialStatus::ok; });
    spaces.push_back({{"name", s.name},
                      {"format", s.format},
                      {"kernel", s.kernel},
                      {"device", s.device},
                      {"configurations", s.space.size()},
                      {"ok", ok},
                      {"best_ms", number(s.best_ms())},
                      {"notes", s.notes}});
  }
  for (const StrategyScore& s : report.scores) {
    json per_space;
    for (const auto& [name, of_space] : s.spaces)
      per_space[name] = {{"seeds", of_space.seeds},
                         {"optimum_over_best_at", shares_json(of_space.at)},
                         {"evaluations_to_95", of_space.evaluations_95},
                         {"evaluations_to_99", of_space.evaluations_99},
                         {"time_to_95_s", number(of_space.spent_95_s)}};
    const auto own = report.own_ms.find(s.strategy);
    scores.push_back({{"strategy", s.strategy},
                      {"seeds", s.seeds},
                      {"optimum_over_best_at", shares_json(s.at)},
                      {"worst_space_at_100", number(s.worst_at_100)},
                      {"evaluations_to_95", s.evaluations_95},
                      {"evaluations_to_99", s.evaluations_99},
                      {"time_to_95_s", number(s.spent_95_s)},
                      {"own_ms_per_evaluation", own == report.own_ms.end() ? json(nullptr) : json(own->second)},
                      {"spaces", per_space}});
  }
  print_json({{"spaces", spaces},
              {"strategies", scores},
              {"complete_runs", report.complete_runs},
              {"total_runs", report.total_runs},
              {"notes", report.notes}});
}

} // namespace warptune::cli

#include "cli/check_rows.h"

#include "cli/json_output.h"
#include "cli/table.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShownRows = 10;

struct ConfigRow {
  const CheckedProblem* problem;
  const CheckedConfig* config;
  const CheckedLaunch& worst() const { return config->launches.front(); }
};

void add_rows(const CheckedProblem& one, std::vector<ConfigRow>& rows) {
  for (const CheckedConfig& config : one.check.configs)
    if (!config.launches.empty()) rows.push_back({&one, &config});
}

void sort_rows(std::vector<ConfigRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ConfigRow& a, const ConfigRow& b) { return is_worse(a.worst(), b.worst()); });
}

const char* limit_name(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::threads:
    return "threads";
  case OccupancyLimit::blocks:
    return "blocks";
  case OccupancyLimit::registers:
    return "registers";
  case OccupancyLimit::shared_memory:
    return "shared";
  }
  return "";
}

std::string spill_text(const CheckedLaunch& launch) {
  if (launch.spill_bytes == 0) return "-";
  if (!launch.spills) return fmt::format("{}", launch.spill_bytes);
  return fmt::format("{}/{}", launch.spills->stores, launch.spills->loads);
}

std::string shared_text(const BlockNeeds& needs) {
  if (needs.static_shared_bytes == 0 || needs.dynamic_shared_bytes == 0)
    return fmt::format("{}", needs.static_shared_bytes + needs.dynamic_shared_bytes);
  return fmt::format("{}+{}", needs.static_shared_bytes, needs.dynamic_shared_bytes);
}

json launch_json(const CheckedLaunch& launch) {
  return {{"kernel", launch.kernel},
          {"threads", launch.needs.threads},
          {"registers", launch.needs.registers},
          {"spill_bytes", launch.spill_bytes},
          {"spill_store_bytes", launch.spills ? json(launch.spills->stores) : json(nullptr)},
          {"spill_load_bytes", launch.spills ? json(launch.spills->loads) : json(nullptr)},
          {"static_shared_bytes", launch.needs.static_shared_bytes},
          {"dynamic_shared_bytes", launch.needs.dynamic_shared_bytes},
          {"blocks_per_sm", launch.occupancy.blocks_per_sm},
          {"limited_by", limit_name(launch.occupancy.limit)},
          {"occupancy", launch.occupancy.share}};
}

} // namespace

std::string render_check_rows(const CheckReport& report, int width, bool wide) {
  std::vector<std::string> archs;
  for (const CheckedProblem& one : report.problems)
    if (std::find(archs.begin(), archs.end(), one.arch) == archs.end()) archs.push_back(one.arch);
  std::string out;
  for (const std::string& arch : archs) {
    std::vector<ConfigRow> rows;
    for (const CheckedProblem& one : report.problems)
      if (one.arch == arch) add_rows(one, rows);
    if (rows.empty()) continue;
    sort_rows(rows);
    const std::size_t shown = wide ? rows.size() : std::min(rows.size(), kShownRows);
    Table table({whole("configuration"), left_out(1, text("problem")), right("registers"), right("spills"),
                 left_out(2, right("threads")), right("shared"), right("blocks"), left("limited by"), right("warps")});
    for (std::size_t i = 0; i < shown; ++i) {
      const CheckedLaunch& launch = rows[i].worst();
      const std::string config = config_text(report.kernel.spec, rows[i].config->config);
      table.add({config.empty() ? "without parameters" : config,
                 short_problem(problem_key(report.kernel.spec, rows[i].problem->problem)),
                 std::to_string(launch.needs.registers), spill_text(launch), std::to_string(launch.needs.threads),
                 shared_text(launch.needs), std::to_string(launch.occupancy.blocks_per_sm),
                 limit_name(launch.occupancy.limit), fmt::format("{:.0f} %", 100 * launch.occupancy.share)});
    }
    out += fmt::format("\n{}, {} configuration{}{}:\n{}", arch, rows.size(), rows.size() == 1 ? "" : "s",
                       shown < rows.size() ? fmt::format(", the worst {} (--wide shows all)", shown) : "",
                       table.render(wide ? 0 : width));
  }
  return out;
}

json check_rows_json(const CheckReport& report, const CheckedProblem& one) {
  std::vector<ConfigRow> rows;
  add_rows(one, rows);
  sort_rows(rows);
  json out = json::array();
  for (const ConfigRow& row : rows) {
    json& config = out.emplace_back(json{{"config", config_json(report.kernel.spec, row.config->config)},
                                         {"config_text", config_text(report.kernel.spec, row.config->config)},
                                         {"is_default", row.config->is_default},
                                         {"launches", json::array()}});
    for (const CheckedLaunch& launch : row.config->launches) config["launches"].push_back(launch_json(launch));
  }
  return out;
}

} // namespace warptune::cli

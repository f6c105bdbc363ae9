#include "cli/verify_summary.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/verify_table.h"
#include "core/device.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

// "2.697 ms then, 2.699 ms now (+0.1 %)", in the table's units.
std::string times_of(const RowReport& row) {
  const CheckRecord& c = row.check;
  std::string text = fmt::format("{} then, {} {}", time_text(row.row.median_us), time_text(c.median_us),
                                 is_recorded_device(row.row.device_backend) ? "recorded" : "now");
  if (row.row.median_us > 0) text += fmt::format(" ({})", row_change(row));
  if (c.status == CheckStatus::slower_than_default)
    text += fmt::format("; the default takes {}", time_text(c.default_us));
  return text;
}

// "12 results: 9 hold, 2 moved, 1 wrong"
std::string tally_text(const VerifyReport& report) {
  std::map<std::string, int> counts;
  for (const RowReport& row : report.run.rows) ++counts[row_status(row)];
  std::vector<std::string> parts;
  parts.reserve(counts.size() + 1);
  for (const auto& [status, count] : counts)
    parts.push_back(
        fmt::format("{} {}", count, count > 1 && status.starts_with("holds") ? "hold" + status.substr(5) : status));
  if (const std::size_t rest = report.asked - report.run.rows.size(); rest > 0)
    parts.push_back(fmt::format("{} not checked", rest));
  return fmt::format("{}: {}", count_text(static_cast<std::int64_t>(report.asked), "result"), fmt::join(parts, ", "));
}

json row_json(const RowReport& row) {
  const BestRecord& b = row.row;
  const CheckRecord& c = row.check;
  return {{"id", b.id},
          {"kernel", b.kernel},
          {"problem", b.problem},
          {"device", b.device_name},
          {"config", config_json(b.config)},
          {"config_text", b.config},
          {"stored_us", b.median_us},
          {"stored_ci_us", {b.ci_low_us, b.ci_high_us}},
          {"change_percent", c.median_us > 0 ? json(change_percent(row)) : json(nullptr)},
          {"now_us", or_null(c.median_us)},
          {"now_ci_us", c.median_us > 0 ? json({c.ci_low_us, c.ci_high_us}) : json(nullptr)},
          {"default_us", or_null(c.default_us)},
          {"rounds", c.rounds},
          {"status", check_name(c.status)},
          {"evidence", c.evidence},
          {"stale", c.stale},
          {"fine", row.is_fine()},
          {"marked", row.marked},
          {"error", row.error ? json(row.error->message) : json(nullptr)},
          {"note", row.note}};
}

} // namespace

std::string verify_line(const RowReport& row) {
  const std::string reason = row.check.median_us > 0 ? times_of(row) : row_reason(row);
  return fmt::format("{} {}: {}{}{}", row.row.kernel, short_problem(row.row.problem), row_status(row),
                     reason.empty() ? "" : ": ", reason);
}

void print_verify_text(const VerifyReport& report, bool wide) {
  if (const Table table = verify_table(report.run.rows); !table.empty()) {
    print("\n");
    print_table(table, wide);
    print("\n");
  }
  print_wrapped((report.run.stopped ? "stopped: " : "") + tally_text(report));
  const bool marked =
      std::any_of(report.run.rows.begin(), report.run.rows.end(), [](const RowReport& r) { return r.marked; });
  if (marked) print_wrapped("checks stored in " + report.database);
  for (const std::string& why : report.left_out) print_wrapped("left out: " + why);
  print_notes(report.notes);
}

void print_verify_json(const VerifyReport& report) {
  json rows = json::array();
  std::map<std::string, int> counts;
  for (const RowReport& row : report.run.rows) {
    rows.push_back(row_json(row));
    ++counts[std::string(check_name(row.check.status))];
  }
  print_json({{"database", report.database},
              {"device", or_null(report.device)},
              {"seed", report.seed},
              {"tolerance", report.tolerance},
              {"results", rows},
              {"by_status", counts},
              {"asked", report.asked},
              {"interrupted", report.run.stopped},
              {"left_out", report.left_out},
              {"notes", report.notes}});
}

} // namespace warptune::cli

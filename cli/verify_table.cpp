#include "cli/verify_table.h"

#include "cli/sanitize.h"
#include "cli/units.h"
#include "core/device.h"
#include "db/tuned_entries.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune::cli {
namespace {

bool is_only_stale(const RowReport& row) {
  return row.check.status == CheckStatus::not_timed && !row.check.stale.empty();
}

} // namespace

std::string row_status(const RowReport& row) {
  return is_only_stale(row) ? "stale, not timed" : check_text(row.row, row.check.status);
}

double change_percent(const RowReport& row) {
  if (!(row.check.median_us > 0) || !(row.row.median_us > 0)) return 0;
  return (row.check.median_us / row.row.median_us - 1) * 100;
}

std::string row_change(const RowReport& row) {
  if (!(row.check.median_us > 0)) return "-";
  const double percent = std::round(change_percent(row) * 10) / 10;
  return percent == 0 ? "0.0 %" : fmt::format("{:+.1f} %", percent); // no "-0.0 %"
}

std::string row_reason(const RowReport& row) {
  std::vector<std::string> parts;
  if (is_only_stale(row)) parts.push_back(row.check.stale); // the reason for the status
  if (row.error)
    parts.push_back(first_line(row.error->message));
  else if (row.check.status != CheckStatus::holds && row.check.status != CheckStatus::moved &&
           !row.check.evidence.empty())
    parts.push_back(first_line(row.check.evidence));
  if (!row.check.stale.empty() && !is_only_stale(row)) parts.push_back("stale: " + row.check.stale);
  if (!row.note.empty()) parts.push_back(row.note);
  return fmt::format("{}", fmt::join(parts, "; "));
}

Table verify_table(const std::vector<RowReport>& rows) {
  const auto is_timed = [](const RowReport& row) { return row.check.median_us > 0; };
  const bool recorded = std::any_of(rows.begin(), rows.end(), is_timed) &&
                        std::all_of(rows.begin(), rows.end(), [&](const RowReport& row) {
                          return !is_timed(row) || is_recorded_device(row.row.device_backend);
                        });
  Table table({left("kernel"), left_out(1, whole("problem")), right("stored"), right(recorded ? "recorded" : "now"),
               right("change"), left_out(2, whole("status")), whole("reason")});
  for (const RowReport& row : rows)
    table.add({row.row.kernel, short_problem(row.row.problem), time_text(row.row.median_us),
               time_text(row.check.median_us), row_change(row), row_status(row), row_reason(row)});
  return table;
}

} // namespace warptune::cli

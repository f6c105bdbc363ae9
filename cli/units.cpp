#include "cli/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune::cli {

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::min(seconds + 0.5, 1e9));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

std::string amount_text(double value, const std::string& unit) {
  if (!(value > 0)) return "-";
  for (const auto& [factor, prefix] : {std::pair(1e12, "T"), {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (value >= factor) return fmt::format("{} {}{}", three_digits(value / factor), prefix, unit);
  return fmt::format("{}{}{}", three_digits(value), unit.empty() ? "" : " ", unit);
}

std::int64_t failure_count(const std::map<TrialStatus, std::int64_t>& by_status) {
  std::int64_t failures = 0;
  for (const auto& [status, count] : by_status)
    if (status != TrialStatus::ok) failures += count;
  return failures;
}

std::string failures_text(const std::map<TrialStatus, std::int64_t>& by_status) {
  std::string out;
  for (const auto& [status, count] : by_status) {
    if (status == TrialStatus::ok || count == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, status_text(status));
  }
  return out;
}

} // namespace warptune::cli

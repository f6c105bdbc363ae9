#include "tuner/recheck_judgement.h"

#include "core/statistics.h"
#include "core/text.h"
#include "tuner/decision.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace warptune {
namespace {

constexpr double kSignificance = 0.05;

bool is_time(float us) { return std::isfinite(us) && us > 0; }

// For a row without an interval: only its median.
Interval stored_interval(const BestRecord& row) {
  if (row.ci_low_us > 0 && row.ci_high_us >= row.ci_low_us) return {row.ci_low_us, row.ci_high_us};
  return {row.median_us, row.median_us};
}

std::string known_clock(std::span<const FinalRound> rounds) {
  const std::string text = clock_text(clocks_of(rounds));
  return text.empty() ? "unknown clock" : text;
}

std::string change_text(double then, double now) {
  return fmt::format("{:.4g} us then, {:.4g} us now{}", then, now,
                     then > 0 ? fmt::format(" ({:+.2f} %)", (now / then - 1) * 100) : "");
}

// The name of a part such as "NVRTC 13.0", "triton: 3.3" or "cublaslt 13.1".
std::string_view name_of(std::string_view part) { return part.substr(0, part.find_first_of(": ")); }

// The parts of a compiler's name that `other` also has, in any version, and always the first part, which is NVRTC's.
std::string known_parts(const std::string& compiler, const std::string& other) {
  const std::vector<std::string_view> parts = split(compiler, ';'), others = split(other, ';');
  std::string known;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    const bool has = std::any_of(others.begin(), others.end(),
                                 [&](std::string_view of_other) { return name_of(trim(of_other)) == name_of(part); });
    if (i == 0 || has) known += (known.empty() ? "" : "; ") + std::string(part);
  }
  return known;
}

} // namespace

std::string stale_text(const BestRecord& row, const ToolsNow& now) {
  std::vector<std::string> reasons;
  if (!now.source_hash.empty() && now.source_hash != row.source_hash)
    reasons.emplace_back("the kernel's sources changed");
  const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
    if (!a.empty() && !b.empty() && a != b) reasons.push_back(fmt::format("{}{} then, {} now", what, a, b));
  };
  compare("driver ", row.driver, now.driver);
  compare("", known_parts(row.compiler, now.compiler), known_parts(now.compiler, row.compiler));
  compare("warptune ", row.version, now.version);
  return fmt::format("{}", fmt::join(reasons, "; "));
}

CheckRecord judge_times(const BestRecord& row, const NewTimes& times, double tolerance) {
  CheckRecord check;
  check.best = row.id;
  const bool compares = !times.standard_us.empty();
  std::vector<float> winner, standard;
  for (std::size_t i = 0; i < times.winner_us.size(); ++i) {
    const bool paired = i < times.standard_us.size() && is_time(times.standard_us[i]);
    if (!is_time(times.winner_us[i]) || (compares && !paired)) continue;
    winner.push_back(times.winner_us[i]);
    if (compares) standard.push_back(times.standard_us[i]);
  }
  check.rounds = static_cast<int>(winner.size());
  if (winner.size() < kMinRounds) {
    check.evidence = fmt::format("only {} of {} rounds gave a time, but {} are needed", winner.size(),
                                 times.winner_us.size(), kMinRounds);
    return check;
  }
  const Interval now = median_interval(winner), then = stored_interval(row);
  check.median_us = median(winner);
  check.ci_low_us = now.low;
  check.ci_high_us = now.high;
  check.evidence = change_text(row.median_us, check.median_us);
  if (compares) {
    check.default_us = median(standard);
    const double p = paired_p_faster(winner, standard);
    // A winner by energy may be slower than the default.
    if (row.objective == Objective::time && p >= kSignificance && check.median_us >= check.default_us) {
      check.status = CheckStatus::slower_than_default;
      check.evidence =
          fmt::format("no longer faster than the default, which takes {:.4g} us; {}", check.default_us, check.evidence);
      return check;
    }
  }
  const bool differs = std::abs(check.median_us - row.median_us) > tolerance * row.median_us;
  const bool overlap = now.low <= then.high && then.low <= now.high;
  check.status = differs && !overlap ? CheckStatus::moved : CheckStatus::holds;
  if (check.status == CheckStatus::moved && (any_at_power_cap(times.rounds) || any_at_power_cap(row.rounds))) {
    check.status = compares ? CheckStatus::holds : CheckStatus::not_timed;
    check.evidence +=
        fmt::format("; the board was at its power cap ({} then, {} now), where the time depends on the clock",
                    known_clock(row.rounds), known_clock(times.rounds));
  }
  if (differs && overlap) check.evidence += ", but the 95 % intervals overlap";
  return check;
}

} // namespace warptune

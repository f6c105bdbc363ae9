#include "tuner/budget.h"

#include "core/text.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// A larger limit is a slip, and a session without a limit needs none.
constexpr double kMaxSeconds = 366 * 24 * 3600.0;
constexpr double kMaxEvaluations = 0x1p53;

// The number before the unit; nullopt if the text is anything else.
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Seconds of the unit at the end of `text`; 0: it has no unit of time.
double unit_seconds(std::string_view text) {
  if (text.empty()) return 0;
  return text.back() == 's' ? 1 : text.back() == 'm' ? 60 : text.back() == 'h' ? 3600 : 0;
}

} // namespace

std::optional<double> parse_duration(std::string_view text) {
  const double unit = unit_seconds(text);
  const auto number = number_before(text, unit > 0 ? text.substr(text.size() - 1) : std::string_view());
  if (!number) return std::nullopt;
  return *number * (unit > 0 ? unit : 1);
}

Result<Budget> parse_budget(const std::string& text) {
  Budget budget;
  if (text.empty() || text == "all") return budget;
  for (const std::string_view part : split(text, ',')) {
    const auto bad = [&](const char* why) {
      return fail(
          ErrorKind::bad_input,
          fmt::format("'{}' is not a budget: {}; write 200 (configurations), 30s or 10m (time), 10% (of the space) or "
                      "several of them, such as 200,30s",
                      part, why));
    };
    const double unit = unit_seconds(part);
    const bool seconds = unit > 0, percent = part.ends_with('%');
    double& limit = seconds ? budget.seconds : percent ? budget.percent : budget.evaluations;
    const std::string_view number = part.substr(0, part.size() - (seconds || percent ? 1 : 0));
    if (part.empty()) return bad("it is empty");
    if (limit > 0) return bad("a limit of this kind is given twice");
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
    if (error == std::errc::result_out_of_range) return bad("the number is out of range");
    if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(limit))
      return bad("it is not a number");
    if (limit <= 0) return bad("the number must be above zero");
    if (percent && limit > 100) return bad("a share cannot be above 100 %");
    if (!seconds && !percent && limit != std::floor(limit)) return bad("configurations are counted in whole numbers");
    if (unit > 1) limit *= unit;
    if (!percent && limit > (seconds ? kMaxSeconds : kMaxEvaluations))
      return bad(seconds ? "it is longer than a year" : "it is above 2^53 configurations");
    if (seconds) budget.time_text = part;
    // Equal times get equal texts, so that a session of 10m can be continued with 600s.
    budget.text += (budget.text.empty() ? "" : ",") + (unit > 1 ? fmt::format("{:.10g}s", limit) : std::string(part));
  }
  return budget;
}

Result<void> parse_target(const std::string& text, StopRules& rules) {
  const auto bad = [&] {
    return fail(
        ErrorKind::bad_input,
        fmt::format("'{}' is not a target; write a time, such as 120us or 1.5ms, or a share of the roofline, such as "
                    "95% (above 0%, at most 100%)",
                    text));
  };
  rules.target_us = rules.target_share = 0;
  if (const auto share = number_before(text, "%")) {
    if (!(*share > 0 && *share <= 100)) return bad();
    rules.target_share = *share / 100;
    return {};
  }
  constexpr std::pair<std::string_view, double> kUnits[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};
  for (const auto& [unit, us] : kUnits)
    if (const auto time = number_before(text, unit)) {
      if (!(*time > 0)) return bad();
      rules.target_us = *time * us;
      return {};
    }
  return bad();
}

Result<void> parse_stop_below(const std::string& text, StopRules& rules) {
  const auto share = number_before(text, "%");
  if (!share || !(*share > 0 && *share < 100))
    return fail(
        ErrorKind::bad_input,
        fmt::format("'{}' is not a limit of expected improvement; write a share above 0% and below 100%, such as 1%",
                    text));
  rules.stop_below = *share / 100;
  return {};
}

std::string ending_text(const Budget& budget, const StopRules& rules) {
  std::vector<std::string> parts;
  if (!budget.all()) parts.push_back(budget.text);
  if (rules.target_us > 0) parts.push_back(fmt::format("target {}us", rules.target_us));
  if (rules.target_share > 0) parts.push_back(fmt::format("target {:.10g}%", 100 * rules.target_share));
  if (rules.stop_below > 0) parts.push_back(fmt::format("stop below {:.10g}%", 100 * rules.stop_below));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string_view ending_name(Ending ending) {
  switch (ending) {
  case Ending::all_tried:
    return "all_tried";
  case Ending::evaluations:
    return "evaluations";
  case Ending::seconds:
    return "seconds";
  case Ending::target:
    return "target";
  case Ending::low_expected_gain:
    return "little_left";
  case Ending::strategy_done:
    return "strategy_done";
  case Ending::interrupted:
    return "interrupted";
  }
  return "interrupted";
}

} // namespace warptune

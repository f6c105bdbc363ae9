#include "tuner/budget.h"

#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// A forecast is noisy, and some candidates are under way that it no longer counts: it must stay low until all of those
// have been observed, and as many again.
constexpr int kPatience = 2 * static_cast<int>(kLearningAhead);

// The number before the unit; nothing when there is anything else.
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

} // namespace

Result<Budget> parse_budget(const std::string& text) {
  Budget budget;
  if (text.empty() || text == "all") return budget;
  for (const std::string_view part : split(text, ',')) {
    budget.text += (budget.text.empty() ? "" : ",") + std::string(part);
    const auto bad = [&](const char* why) {
      return fail(ErrorKind::bad_input,
                  fmt::format("'{}' is no budget: {}; write 200 (configurations), 30s (seconds), 10% (of the space) or "
                              "several of them, such as 200,30s",
                              part, why));
    };
    const bool seconds = part.ends_with('s'), percent = part.ends_with('%');
    double& limit = seconds ? budget.seconds : percent ? budget.percent : budget.evaluations;
    const std::string_view number = part.substr(0, part.size() - (seconds || percent ? 1 : 0));
    if (limit > 0) return bad("there is one of its kind already");
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
    if (error == std::errc::result_out_of_range) return bad("the number is out of range");
    if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(limit))
      return bad("it is no number");
    if (limit <= 0) return bad("it must be above zero");
    if (percent && limit > 100) return bad("a space has 100 %");
    if (!seconds && !percent && limit != std::floor(limit)) return bad("configurations are counted in whole numbers");
  }
  return budget;
}

Result<void> parse_target(const std::string& text, StopRules& rules) {
  const auto bad = [&] {
    return fail(ErrorKind::bad_input,
                fmt::format("'{}' is no target; write a time such as 120us or 1.5ms, or a share of the roofline above "
                            "0 and up to 100 such as 95%",
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
    return fail(ErrorKind::bad_input,
                fmt::format("'{}' is no expected improvement to stop below; write a share above 0 and below 100, such "
                            "as 1%",
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
  case Ending::little_left:
    return "little_left";
  case Ending::strategy_done:
    return "strategy_done";
  case Ending::interrupted:
    return "interrupted";
  }
  return "interrupted";
}

BudgetMeter::BudgetMeter(const Budget& budget, const StopRules& rules, std::int64_t space_size, double spent_s)
    : limit_(space_size), seconds_(budget.seconds), spent_s_(spent_s), rules_(rules), target_us_(rules.target_us) {
  const auto size = static_cast<double>(space_size);
  const auto limit_to = [&](double count) {
    limit_ = std::min(limit_, static_cast<std::int64_t>(std::min(count, size)));
  };
  if (budget.evaluations > 0) limit_to(budget.evaluations);
  if (budget.percent > 0) limit_to(std::ceil(size * budget.percent / 100));
  limit_ = std::clamp<std::int64_t>(limit_, 1, std::max<std::int64_t>(space_size, 1));
}

bool BudgetMeter::out_of_time(double elapsed_s) const { return seconds_ > 0 && elapsed_s + spent_s_ >= seconds_; }

void BudgetMeter::set_floor(double floor_us) {
  if (rules_.target_share > 0) target_us_ = floor_us / rules_.target_share;
}

void BudgetMeter::observe(const Observation& observation, const Strategy& strategy) {
  if (satisfied_) return;
  const bool better = observation.ok && (best_us_ == 0 || observation.time_us < best_us_);
  const double before_us = best_us_;
  if (better) best_us_ = observation.time_us;
  if (target_us_ > 0 && best_us_ > 0 && best_us_ <= target_us_) satisfied_ = Ending::target;
  if (satisfied_ || rules_.stop_below <= 0) return;
  const auto forecast = strategy.expected_improvement();
  heard_forecast_ = heard_forecast_ || forecast.has_value();
  // Whoever was just surprised may be so again.
  const bool surprised = better && before_us > 0 && before_us - best_us_ >= rules_.stop_below * before_us;
  low_ = forecast && *forecast < rules_.stop_below && !surprised ? low_ + 1 : 0;
  if (low_ >= kPatience) satisfied_ = Ending::little_left;
}

} // namespace warptune

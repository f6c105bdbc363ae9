#include "tuner/budget_meter.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

// A forecast is noisy, and it excludes the candidates that are still open. It must stay low until all of these are
// observed, and for as many observations again.
constexpr int kPatience = 2 * static_cast<int>(kLearningAhead);

constexpr std::int64_t kMinPerDevice = 4, kBlindlyPerDevice = 256;

} // namespace

std::int64_t candidates_ahead(bool learns, int devices) {
  return learns ? std::max(kLearningAhead, kMinPerDevice * devices)
                : std::max(kBlindlyAhead, kBlindlyPerDevice * devices);
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
  // After a large improvement, another one is likely.
  const bool surprised = better && before_us > 0 && before_us - best_us_ >= rules_.stop_below * before_us;
  low_ = forecast && *forecast < rules_.stop_below && !surprised ? low_ + 1 : 0;
  if (low_ >= kPatience) satisfied_ = Ending::low_expected_gain;
}

} // namespace warptune

#include "tuner/budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace warptune {

Result<Budget> parse_budget(const std::string& text) {
  const auto bad = [&](const char* why) {
    return fail(ErrorKind::bad_input,
                fmt::format("'{}' is no budget: {}; write 200 (configurations), 30s (seconds) or 10% (of the space)",
                            text, why));
  };
  Budget budget;
  budget.text = text;
  if (text.empty() || text == "all") {
    budget.text.clear();
    return budget;
  }
  std::string_view number = text;
  budget.kind = Budget::Kind::evaluations;
  if (number.back() == 's' || number.back() == '%') {
    budget.kind = number.back() == 's' ? Budget::Kind::seconds : Budget::Kind::percent;
    number.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), budget.amount);
  if (error == std::errc::result_out_of_range) return bad("the number is out of range");
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(budget.amount))
    return bad("it is no number");
  if (budget.amount <= 0) return bad("it must be above zero");
  if (budget.kind == Budget::Kind::percent && budget.amount > 100) return bad("a space has 100 %");
  if (budget.kind == Budget::Kind::evaluations && budget.amount != std::floor(budget.amount))
    return bad("configurations are counted in whole numbers");
  return budget;
}

BudgetMeter::BudgetMeter(const Budget& budget, std::int64_t space_size, double spent_s)
    : limit_(space_size), seconds_(0), spent_s_(spent_s) {
  const auto size = static_cast<double>(space_size);
  switch (budget.kind) {
  case Budget::Kind::all:
    break;
  case Budget::Kind::evaluations:
    limit_ = static_cast<std::int64_t>(std::min(budget.amount, size));
    break;
  case Budget::Kind::percent:
    limit_ = static_cast<std::int64_t>(std::ceil(size * budget.amount / 100));
    break;
  case Budget::Kind::seconds:
    seconds_ = budget.amount;
    break;
  }
  limit_ = std::clamp<std::int64_t>(limit_, 1, std::max<std::int64_t>(space_size, 1));
}

bool BudgetMeter::out_of_time(double elapsed_s) const { return seconds_ > 0 && elapsed_s + spent_s_ >= seconds_; }

} // namespace warptune

#include "cli/option_values.h"

#include "core/text.h"
#include "search/strategy.h"

#include <cstdlib>
#include <fmt/format.h>

namespace warptune::cli {

std::string default_strategy(const Budget& budget, const StopRules& rules) {
  return std::string(budget.all() && !rules.any() ? "exhaustive" : kDefaultStrategy);
}

Result<void> read_profile_scope(const std::string& text, ProfileScope& scope) {
  const auto parsed = parse_profile_scope(text);
  if (!parsed) return fail(ErrorKind::bad_input, fmt::format("--profile takes none, best or all, not {}", quote(text)));
  scope = *parsed;
  return {};
}

Result<double> parse_percent(const std::string& text, const char* option) {
  const std::string number = text.substr(0, text.find('%'));
  char* end = nullptr;
  const double percent = std::strtod(number.c_str(), &end);
  const bool is_number =
      !number.empty() && *end == '\0' && number.find_first_not_of("0123456789.") == std::string::npos;
  if (!is_number || text.size() > number.size() + 1 || percent > 100)
    return fail(ErrorKind::bad_input,
                fmt::format("{} takes a share from 0% to 100%, such as 2%, not {}", option, quote(text)));
  constexpr double kMinWithoutSign = 0.1;
  if (text == number && percent > 0 && percent < kMinWithoutSign)
    return fail(ErrorKind::bad_input,
                fmt::format("{} {} is ambiguous: write {:g}% or {:g}%", option, quote(text), percent, 100 * percent));
  return percent / 100;
}

} // namespace warptune::cli

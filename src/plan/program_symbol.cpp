#include "plan/program_symbol.h"

#include "core/text.h"

#include <algorithm>
#include <limits>

namespace warptune {
namespace {

constexpr std::string_view kThreads = "threads=", kShared = "shared=";

std::optional<std::uint32_t> number_after(std::string_view word, std::string_view key) {
  std::int64_t value = 0;
  if (!word.starts_with(key) || parse_integer(word.substr(key.size()), value) != IntegerError::none)
    return std::nullopt;
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

} // namespace

std::string symbol_text(const ProgramSymbol& symbol) {
  std::string text = symbol.name;
  if (symbol.threads) text.append(" ").append(kThreads).append(std::to_string(*symbol.threads));
  if (symbol.shared_bytes) text.append(" ").append(kShared).append(std::to_string(*symbol.shared_bytes));
  return text;
}

ProgramSymbol parse_symbol(std::string_view text) {
  ProgramSymbol symbol;
  const std::vector<std::string_view> words = split(text, ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const auto threads = number_after(words[i], kThreads))
      symbol.threads = threads;
    else if (const auto shared = number_after(words[i], kShared))
      symbol.shared_bytes = shared;
    else
      return {std::string(text), {}, {}};
  }
  symbol.name = words.empty() ? std::string() : std::string(words.front());
  return symbol;
}

void adapt_launches(LaunchPlan& plan, const std::vector<std::string>& names) {
  for (KernelLaunch& launch : plan.launches) {
    const auto found = std::find(plan.name_expressions.begin(), plan.name_expressions.end(), launch.name_expression);
    const auto at = static_cast<std::size_t>(found - plan.name_expressions.begin());
    if (at >= names.size()) continue;
    const ProgramSymbol symbol = parse_symbol(names[at]);
    if (symbol.threads) launch.block = {*symbol.threads, 1, 1};
    if (symbol.shared_bytes) launch.shared_bytes = *symbol.shared_bytes;
  }
}

} // namespace warptune

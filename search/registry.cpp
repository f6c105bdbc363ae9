// Looks strategies up by name and checks their options. The table is generated from the files in search/strategies/.
#include "core/text.h"
#include "search/strategy.h"
#include "search/strategy_table.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

std::string number_text(double value) {
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

Result<OptionValues> complete(const StrategyEntry& entry, const OptionValues& given) {
  OptionValues values;
  std::vector<std::string> known;
  for (const StrategyOption& option : entry.options) {
    values.emplace(option.name, option.default_value);
    known.emplace_back(option.name);
  }
  for (const auto& [name, value] : given) {
    const auto refuse = [&](const std::string& why) {
      return fail(ErrorKind::bad_input, "strategy " + std::string(entry.name) + ": " + why);
    };
    const auto option = std::find_if(entry.options.begin(), entry.options.end(),
                                     [&wanted = name](const auto& o) { return o.name == wanted; });
    if (option == entry.options.end())
      return refuse(known.empty() ? "it has no options, so remove " + quote(name)
                                  : "unknown option " + quote(name) + suggest_name(name, known));
    if (!(value >= option->min && value <= option->max) || (option->whole && value != std::floor(value)))
      return refuse("the option " + quote(name) + " must be a " + (option->whole ? "whole " : "") + "number from " +
                    number_text(option->min) + " to " + number_text(option->max));
    values[name] = value;
  }
  return values;
}

} // namespace

const Knowledge& no_knowledge() {
  static const Knowledge none;
  return none;
}

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> entries = strategy_table();
  return entries;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options, const Knowledge& knowledge) {
  std::vector<std::string> known;
  for (const StrategyEntry& entry : strategies()) {
    known.emplace_back(entry.name);
    if (name != entry.name) continue;
    auto values = complete(entry, options);
    if (!values) return tl::make_unexpected(values.error());
    return entry.make({space, seed, std::move(*values), knowledge});
  }
  return fail(ErrorKind::bad_input, "unknown strategy " + quote(name) + suggest_name(name, known));
}

} // namespace warptune

// Looks strategies up by name and checks their options. The table is generated from the files in search/strategies/.
#include "core/text.h"
#include "search/strategy.h"
#include "search/strategy_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace warptune {
namespace {

// The shortest text that is read back as the same number.
std::string number_text(double value) {
  char text[400]; // the longest double without an exponent has fewer digits
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
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

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> entries = strategy_table();
  return entries;
}

Result<const StrategyEntry*> find_strategy(std::string_view name) {
  std::vector<std::string> known;
  for (const StrategyEntry& entry : strategies()) {
    if (name == entry.name) return &entry;
    known.emplace_back(entry.name);
  }
  return fail(ErrorKind::bad_input, "unknown strategy " + quote(name) + suggest_name(name, known));
}

Result<StrategyChoice> parse_strategy(std::string_view text) {
  StrategyChoice choice;
  const std::size_t colon = std::min(text.find(':'), text.size());
  choice.name = trim(text.substr(0, colon));
  WT_TRY(const auto entry, find_strategy(choice.name));
  if (colon < text.size())
    for (const std::string_view piece : split(text.substr(colon + 1), ',')) {
      const std::size_t equals = std::min(piece.find('='), piece.size());
      const std::string_view name = trim(piece.substr(0, equals));
      const std::string_view number = equals < piece.size() ? trim(piece.substr(equals + 1)) : std::string_view();
      double value = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (name.empty() || number.empty() || error != std::errc{} || end != number.data() + number.size())
        return fail(ErrorKind::bad_input,
                    "strategy " + choice.name + ": " + quote(piece) + " is not an option; write NAME=NUMBER");
      if (!choice.options.emplace(name, value).second)
        return fail(ErrorKind::bad_input,
                    "strategy " + choice.name + ": the option " + quote(name) + " is given twice; give it once");
    }
  WT_CHECK(complete(*entry, choice.options));
  return choice;
}

Result<std::vector<StrategyChoice>> parse_strategies(std::string_view text) {
  std::vector<std::string> texts;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t colon = piece.find(':'), equals = piece.find('=');
    if (piece == "all")
      for (const StrategyEntry& entry : strategies()) texts.emplace_back(entry.name);
    else if (equals < colon && !texts.empty() && texts.back().find(':') != std::string::npos) // one more option
      texts.back().append(",").append(piece);
    else
      texts.emplace_back(piece);
  }
  std::vector<StrategyChoice> choices;
  std::set<std::string> seen;
  for (const std::string& each : texts) {
    WT_TRY(auto choice, parse_strategy(each));
    if (seen.insert(strategy_text(choice)).second) choices.push_back(std::move(choice));
  }
  return choices;
}

std::string strategy_text(const StrategyChoice& choice) {
  std::string text = choice.name;
  char separator = ':';
  for (const auto& [name, value] : choice.options) {
    text += separator + name + "=" + number_text(value);
    separator = ',';
  }
  return text;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options, const Knowledge& knowledge) {
  WT_TRY(const auto entry, find_strategy(name));
  WT_TRY(auto values, complete(*entry, options));
  return entry->make({space, seed, std::move(values), knowledge});
}

} // namespace warptune

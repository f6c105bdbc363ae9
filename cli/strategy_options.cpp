#include "cli/strategy_options.h"

#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warptune::cli {

Result<OptionValues> parse_strategy_options(const std::vector<std::string>& words) {
  OptionValues values;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view value = std::string_view(word).substr(std::min(equals + 1, word.size()));
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (equals == 0 || value.empty() || error != std::errc() || end != value.data() + value.size())
      return fail(ErrorKind::bad_input,
                  fmt::format("--strategy-option takes NAME=NUMBER, not {}; `warptune strategies NAME` lists them",
                              quote(word)));
    values[word.substr(0, equals)] = number;
  }
  return values;
}

Result<std::vector<std::string>> parse_strategy_list(const std::string& text) {
  std::vector<std::string> known, named;
  for (const StrategyEntry& entry : strategies()) known.emplace_back(entry.name);
  if (text == "all") return known;
  for (const std::string_view part : split(text, ',')) {
    const std::string name(part);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(ErrorKind::bad_input, fmt::format("unknown strategy {}{}", quote(name), suggest_name(name, known)));
    if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
  }
  return named;
}

} // namespace warptune::cli

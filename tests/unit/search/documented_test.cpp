// docs/search-strategies.md agrees with the registry on every strategy: names, options, defaults and ranges.
#include "search/strategy.h"
#include "support/paths.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

namespace warptune {
namespace {

// The cells of the table rows in the section "## name".
std::vector<std::vector<std::string>> rows_of(const std::string& text, const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## " + name;
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');)
      cells.push_back(cell.size() > 2 ? cell.substr(1, cell.size() - 2) : "");
    rows.push_back(cells);
  }
  return rows;
}

TEST(SearchStrategiesDocument, SaysWhatTheRegistrySays) {
  const auto path = test::share_dir() / "docs" / "search-strategies.md";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no documents beside this installed tree";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  for (const StrategyEntry& entry : strategies()) {
    const std::string name(entry.name);
    EXPECT_THAT(text.str(), ::testing::HasSubstr("\n## " + name + "\n"));
    std::vector<std::vector<std::string>> expected;
    for (const StrategyOption& option : entry.options)
      expected.push_back({fmt::format("`{}`", option.name), fmt::format("{}", option.default_value),
                          fmt::format("{} .. {}", option.min, option.max), std::string(option.meaning)});
    std::string wanted; // to paste into the document
    for (const auto& row : expected) wanted += fmt::format("| {} |\n", fmt::join(row, " | "));
    EXPECT_EQ(rows_of(text.str(), name), expected) << name << ":\n" << wanted;
  }
}

} // namespace
} // namespace warptune

// strategies: lists the search strategies and their options.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"
#include "search/strategy.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct StrategiesArgs {
  std::string name;
  bool json = false;
};

json entry_json(const StrategyEntry& entry) {
  json options = json::array();
  for (const StrategyOption& o : entry.options)
    options.push_back({{"name", o.name},
                       {"meaning", o.meaning},
                       {"default", o.default_value},
                       {"min", o.min},
                       {"max", o.max},
                       {"whole", o.whole}});
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"default", entry.name == kDefaultStrategy},
          {"options", options}};
}

void print_entry(const StrategyEntry& entry) {
  print_wrapped(
      fmt::format("{}: {}{}", entry.name, entry.summary, entry.name == kDefaultStrategy ? " (the default)" : ""));
  if (entry.options.empty()) {
    print("\nIt has no options.\n");
    return;
  }
  Table table({left("option"), right("default"), right("least"), right("most"), whole("meaning")});
  for (const StrategyOption& o : entry.options)
    table.add({std::string(o.name), fmt::format("{}", o.default_value), fmt::format("{}", o.min),
               fmt::format("{}", o.max), std::string(o.meaning)});
  print("\n{}", table.render(terminal_width(1)));
}

Result<int> run_strategies(const StrategiesArgs& options) {
  std::vector<const StrategyEntry*> chosen;
  if (options.name.empty()) {
    for (const StrategyEntry& entry : strategies()) chosen.push_back(&entry);
  } else {
    WT_TRY(const auto entry, find_strategy(options.name));
    chosen.push_back(entry);
  }
  if (options.json) {
    json all = json::array();
    for (const StrategyEntry* entry : chosen) all.push_back(entry_json(*entry));
    print_json({{"strategies", all}});
  } else if (!options.name.empty()) {
    for (const StrategyEntry* entry : chosen) print_entry(*entry);
  } else {
    Table table({left("strategy"), right("options"), whole("what it does")});
    for (const StrategyEntry* entry : chosen)
      table.add({std::string(entry->name) + (entry->name == kDefaultStrategy ? " *" : ""),
                 std::to_string(entry->options.size()), std::string(entry->summary)});
    print("{}", table.render(terminal_width(1)));
    print("\n");
    print_wrapped("* the default with --budget, --target or --stop-below; without them, the default is exhaustive.");
    print_wrapped("`warptune strategies NAME` lists the options of a strategy.");
  }
  return 0;
}

} // namespace

void add_strategies(Command& app, Invocation& invocation) {
  auto options = std::make_shared<StrategiesArgs>();
  Command* command = add_command(app, "strategies", "List the search strategies and their options", kStrategiesHelp);
  command->add_option("NAME", options->name, "Show this strategy and its options")->type_name("");
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_strategies(*options); }; });
}

} // namespace warptune::cli

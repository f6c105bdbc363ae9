#include "cli/search_options.h"

#include "cli/option_values.h"
#include "cli/units.h"
#include "core/text.h"
#include "search/strategy.h"
#include "tuner/budget_meter.h"

#include <fmt/format.h>

namespace warptune::cli {
namespace {

std::string strategy_names() { return join_choices(names_of(strategies())); }

struct SearchHelp {
  std::string strategy, budget, target, stop_below, knowledge;
};

void add_options(Command& command, SearchArgs& args, const SearchHelp& help) {
  command.add_option("--strategy", args.strategy, help.strategy)->type_name("NAME[:OPTION=N,...]");
  command.add_option("--budget", args.budget, help.budget)->type_name("N|TIME|N%");
  command.add_option("--target", args.target, help.target)->type_name("TIME|N%");
  command.add_option("--stop-below", args.stop_below, help.stop_below)->type_name("N%");
  command.add_option("--knowledge", args.knowledge, help.knowledge)->type_name("PARTS");
}

} // namespace

void add_search_options(Command& command, SearchArgs& args) {
  add_options(
      command, args,
      {fmt::format("{}; default: exhaustive; with --budget, --target or --stop-below: {}", strategy_names(),
                   kDefaultStrategy),
       "Search limit: number of configurations (200), time (90s, 10m, 1h), share of the space (10%), or "
       "several (200,60s); default: none",
       "End the search once a kernel time (120us) or a share of the roofline (95%) is reached",
       "End the search once the strategy expects the best time to improve by less than this share",
       "Knowledge given to the strategy: all (default), none, prior (expected times) or hints (good configurations of "
       "similar problems)"});
}

void add_job_search_options(Command& command, SearchArgs& args) {
  args.knowledge.clear();
  add_options(
      command, args,
      {"Overrides the file's strategy: NAME or NAME:OPTION=NUMBER,...",
       "Overrides the file's search limit: 200, 90s, 10m, 10% or several (200,60s)",
       "Overrides the file's target: end the search once a kernel time (120us) or a share of the roofline (95%) is "
       "reached",
       "Overrides the file's stop_below: end the search once the strategy expects the best time to improve by less "
       "than this share",
       "Overrides the file's knowledge for the strategy: all, none, prior or hints"});
}

Result<void> read_stop_rules(const SearchArgs& args, StopRules& rules) {
  if (!args.target.empty()) WT_CHECK(parse_target(args.target, rules));
  if (args.stop_below.empty()) return {};
  return parse_stop_below(args.stop_below, rules);
}

Result<void> read_timeout(const std::string& text, const char* option, double& seconds) {
  if (text.empty()) return {};
  constexpr double kLongest_s = 86400;
  const auto read = parse_duration(text);
  if (!read || !(*read > 0) || *read > kLongest_s)
    return fail(ErrorKind::bad_input,
                fmt::format("{} takes a time of up to 24h, such as 90s or 2m, not {}", option, quote(text)));
  seconds = *read;
  return {};
}

Result<void> read_search_options(const SearchArgs& args, SessionOptions& options) {
  WT_TRY(auto budget, parse_budget(args.budget));
  options.budget = std::move(budget);
  WT_CHECK(read_stop_rules(args, options.stop_rules));
  WT_TRY(auto knowledge, parse_knowledge(args.knowledge));
  options.knowledge = knowledge;
  WT_TRY(auto chosen,
         parse_strategy(args.strategy.empty() ? default_strategy(options.budget, options.stop_rules) : args.strategy));
  options.strategy = strategy_text(chosen);
  return {};
}

std::string ending_sentence(Ending ending, const SessionOptions& options, std::int64_t space_size) {
  const StopRules& rules = options.stop_rules;
  switch (ending) {
  case Ending::all_tried:
    return "every configuration was tried";
  case Ending::evaluations: {
    const Budget& budget = options.budget;
    const std::int64_t limit = BudgetMeter(budget, {}, space_size, 0).limit();
    const std::string count = count_text(limit, "configuration");
    const bool is_share =
        budget.percent > 0 && (budget.evaluations == 0 || static_cast<double>(limit) < budget.evaluations);
    return is_share ? fmt::format("the budget of {:g}% of the space ({}) is used up", budget.percent, count)
                    : fmt::format("the budget of {} is used up", count);
  }
  case Ending::seconds:
    return fmt::format("the time budget of {} is used up", options.budget.time_text);
  case Ending::target:
    return rules.target_us > 0
               ? fmt::format("the target of {} is reached", time_text(rules.target_us))
               : fmt::format("the target of {:g} % of the roofline is reached", 100 * rules.target_share);
  case Ending::low_expected_gain:
    return fmt::format("the strategy expects an improvement below {:g} %", 100 * rules.stop_below);
  case Ending::strategy_done:
    return fmt::format("the strategy {} has nothing more to try", options.strategy);
  case Ending::interrupted:
    return "it was stopped";
  }
  return {};
}

} // namespace warptune::cli

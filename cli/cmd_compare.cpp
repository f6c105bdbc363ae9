// compare: compares two databases, or two sessions. report/compare judges each pair of results.
#include "cli/command.h"
#include "cli/compare_table.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/units.h"
#include "core/text.h"
#include "report/compare.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;
using report::Change;
using report::ComparedRow;
using report::Comparison;
using report::Outcome;

struct CompareArgs {
  std::vector<std::string> databases;
  std::vector<RowId> sessions;
  std::string kernel, fail_slower;
  bool json = false, wide = false;
};

// One side of the comparison.
struct Side {
  std::string database;
  RowId session = 0; // 0: all results in use
};

Result<std::pair<Side, Side>> sides_of(const CompareArgs& o) {
  if (o.databases.empty() || o.databases.size() > 2)
    return fail(ErrorKind::bad_input, "compare needs two databases, or one database with --session X --session Y");
  const bool one = o.databases.size() == 1;
  if (o.sessions.size() > 2 || (one && o.sessions.size() != 2) || (!one && o.sessions.size() == 1))
    return fail(ErrorKind::bad_input, one ? "with one database, compare needs two sessions: --session X --session Y"
                                          : "give --session twice (first for A, then for B), or leave it out");
  for (const RowId session : o.sessions)
    if (session < 1)
      return fail(ErrorKind::bad_input, "--session takes the number of a session, as `show sessions` lists it");
  Side a{o.databases.front(), o.sessions.empty() ? 0 : o.sessions.front()};
  Side b{o.databases.back(), o.sessions.empty() ? 0 : o.sessions.back()};
  return std::pair(a, b);
}

Result<std::vector<Outcome>> load(const Side& side, const std::string& kernel) {
  WT_TRY(auto reader, Reader::open(side.database));
  if (!kernel.empty()) {
    WT_TRY(auto names, reader.kernel_names());
    if (std::find(names.begin(), names.end(), kernel) == names.end())
      return fail(ErrorKind::no_candidate, fmt::format("{} has no results of the kernel {}{}", side.database,
                                                       quote(kernel), suggest_name(kernel, names)));
  }
  auto outcomes = report::load_outcomes(reader, kernel, side.session);
  if (!outcomes) return fail(Error{outcomes.error().kind, side.database + ": " + outcomes.error().message});
  if (outcomes->empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("{} has no results to compare; run `warptune tune` first", side.database));
  return outcomes;
}

json outcome_json(const Outcome& o) {
  return {{"session", o.session},
          {"config", config_json(o.config)},
          {"config_text", o.config},
          {"median_us", o.median_us},
          {"ci_low_us", o.ci_low_us},
          {"ci_high_us", o.ci_high_us},
          {"driver", o.driver},
          {"compiler", o.compiler},
          {"version", o.version},
          {"source_hash", o.source_hash},
          {"certified", o.certified},
          {"cold_l2", o.cold_l2},
          {"sm_clock_mhz", or_null(o.sm_clock_mhz)}};
}

json subject_json(const Outcome& o) { return {{"kernel", o.kernel}, {"problem", o.problem}, {"device", o.device}}; }

void print_comparison_json(const Comparison& c) {
  json rows = json::array(), only_a = json::array(), only_b = json::array();
  for (const ComparedRow& r : c.rows) {
    json row = subject_json(r.a);
    row.update({{"a", outcome_json(r.a)},
                {"b", outcome_json(r.b)},
                {"ratio", r.ratio},
                {"ratio_low", r.ratio_low},
                {"ratio_high", r.ratio_high},
                {"p_value", r.p_value},
                {"test", r.by_samples ? "Mann-Whitney" : "intervals"},
                {"change", report::change_name(r.change)},
                {"differences", r.differences}});
    rows.push_back(std::move(row));
  }
  for (const Outcome& o : c.only_a) only_a.push_back(subject_json(o));
  for (const Outcome& o : c.only_b) only_b.push_back(subject_json(o));
  print_json({{"rows", rows}, {"only_a", only_a}, {"only_b", only_b}, {"summary", report::summary_sentence(c)}});
}

void print_comparison(const Comparison& c, bool wide) {
  const Table table = compare_table(c);
  if (!table.empty()) print_table(table, wide);
  for (const auto& [outcomes, side] : {std::pair(&c.only_a, "A"), std::pair(&c.only_b, "B")})
    for (const Outcome& o : *outcomes)
      print_wrapped(fmt::format("only in {}: {} {} on {}, {}", side, o.kernel, short_problem(o.problem), o.device,
                                time_text(o.median_us)));
  if (!table.empty()) print("\n");
  print_wrapped(report::summary_sentence(c));
  if (!table.empty())
    print_wrapped(fmt::format(
        "A time counts as changed if it differs by more than {:.0f} % with p < 0.05 after Holm's correction for {}; p "
        "comes from the winners' samples (Mann-Whitney), or from the 95 % intervals if there are few samples.",
        100 * report::kSmallestEffect, count_text(static_cast<std::int64_t>(c.rows.size()), "comparison")));
}

Result<int> run_compare(const CompareArgs& o) {
  double limit = -1;
  if (!o.fail_slower.empty()) {
    WT_TRY(auto percent, parse_percent(o.fail_slower, "--fail-slower"));
    limit = percent;
  }
  WT_TRY(auto sides, sides_of(o));
  WT_TRY(auto a, load(sides.first, o.kernel));
  WT_TRY(auto b, load(sides.second, o.kernel));
  const Comparison comparison = report::compare_outcomes(a, b);
  if (o.json)
    print_comparison_json(comparison);
  else
    print_comparison(comparison, o.wide);
  const bool too_slow = std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparedRow& r) {
    return r.change == Change::slower && r.ratio - 1 > limit + 1e-9; // 3 % is not more than 3 %
  });
  return limit >= 0 && too_slow ? kNotAllWell : 0;
}

} // namespace

void add_compare(Command& app, Invocation& invocation) {
  auto options = std::make_shared<CompareArgs>();
  Command* command = add_command(
      app, "compare", "Compare two databases or sessions: which results became faster or slower", kCompareHelp);
  command->add_option("DB", options->databases, "Two databases, A and B; or one, with --session twice")
      ->required()
      ->type_name("");
  command
      ->add_option("--session", options->sessions,
                   "Compare two sessions: give --session twice, first for A, then for B")
      ->type_name("N")
      ->allow_extra_args(false);
  command->add_option("--kernel", options->kernel, "Only results of this kernel")->type_name("NAME");
  command
      ->add_option("--fail-slower", options->fail_slower,
                   "Exit with 1 if a result became slower by more than this share, such as 3%")
      ->type_name("N%");
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_compare(*options); }; });
}

} // namespace warptune::cli

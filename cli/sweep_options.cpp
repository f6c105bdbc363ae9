#include "cli/sweep_options.h"

#include "cli/option_values.h"
#include "core/text.h"
#include "search/strategy.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace warptune::cli {
namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr double kLongestTimeout_s = 86400;

void read_strategy(const JsonCursor& at, std::string& strategy) {
  strategy = at.text();
  if (!at.is(JsonValue::Kind::text)) return;
  if (const auto known = parse_strategy(strategy); known)
    strategy = strategy_text(*known);
  else
    at.error(known.error().message);
}

// Reads a text that `parse` adds to `rules`.
void read_rule(const JsonCursor& at, Result<void> (*parse)(const std::string&, StopRules&), StopRules& rules) {
  const std::string text = at.text();
  if (!at.is(JsonValue::Kind::text)) return;
  if (const auto parsed = parse(text, rules); !parsed) at.error(parsed.error().message);
}

void read_knowledge(const JsonCursor& at, KnowledgeParts& parts, std::vector<std::string>& notes) {
  const std::string text = at.text();
  if (!at.is(JsonValue::Kind::text)) return;
  const auto parsed = parse_knowledge(text);
  if (!parsed) return at.error(parsed.error().message);
  parts = *parsed;
  std::string note = former_knowledge_note(text);
  if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

void read_objective(const JsonCursor& at, Objective& objective) {
  const std::string name = at.text();
  if (!at.is(JsonValue::Kind::text)) return;
  if (name.empty()) return at.expected("time, energy or edp");
  if (const auto known = warptune::cli::read_objective(name, objective); !known) at.error(known.error().message);
}

void read_budget(const JsonCursor& at, Budget& budget) {
  const bool number = at.is(JsonValue::Kind::integer);
  if (!number && !at.is(JsonValue::Kind::text))
    return at.expected("a number of configurations, \"30s\", \"10%\" or \"200,30s\"");
  if (!number && at.text().empty()) return at.expected("a number of configurations, \"30s\", \"10%\" or \"all\"");
  auto parsed = parse_budget(number ? std::to_string(at.integer()) : at.text());
  if (parsed)
    budget = std::move(*parsed);
  else
    at.error(parsed.error().message);
}

template <class Number> void read_whole(const JsonCursor& at, Number& number, std::int64_t low, std::int64_t high) {
  const std::int64_t value = at.is(JsonValue::Kind::integer) ? at.integer() : -1;
  if (value >= low && value <= high)
    number = static_cast<Number>(value);
  else
    at.expected(high == kNoEnd ? fmt::format("a whole number of at least {}", low)
                               : fmt::format("a whole number from {} to {}", low, high));
}

void read_seconds(const JsonCursor& at, double& seconds) {
  const double value = at.is_number() ? at.number() : 0;
  if (value > 0 && value <= kLongestTimeout_s)
    seconds = value;
  else
    at.expected(fmt::format("seconds above 0 and up to {:.0f}", kLongestTimeout_s));
}

} // namespace

std::vector<std::string_view> job_option_keys() {
  return {"strategy",
          "budget",
          "target",
          "stop_below",
          "knowledge",
          "seed",
          "finalists",
          "rounds",
          "warm_l2",
          "racing",
          "profile",
          "metrics",
          "objective",
          "energy",
          "compile_timeout_s",
          "evaluate_timeout_s",
          "allow_build",
          "baseline"};
}

Result<void> read_objective(const std::string& name, Objective& objective) {
  const auto found = name.empty() ? objective : parse_objective(name);
  if (!found)
    return fail(ErrorKind::bad_input,
                "unknown objective " + quote(name) + suggest_name(name, {"time", "energy", "edp"}));
  objective = *found;
  return {};
}

void read_job_options(const JsonCursor& at, SessionOptions& o, std::vector<std::string>& notes) {
  if (!at.is(JsonValue::Kind::object)) return;
  if (const auto strategy = at.find("strategy")) read_strategy(*strategy, o.strategy);
  if (const auto budget = at.find("budget")) read_budget(*budget, o.budget);
  if (const auto target = at.find("target")) read_rule(*target, parse_target, o.stop_rules);
  if (const auto below = at.find("stop_below")) read_rule(*below, parse_stop_below, o.stop_rules);
  if (const auto knowledge = at.find("knowledge")) read_knowledge(*knowledge, o.knowledge, notes);
  if (const auto seed = at.find("seed")) read_whole(*seed, o.seed, 0, kNoEnd);
  if (const auto finalists = at.find("finalists")) read_whole(*finalists, o.finalists, 1, 64);
  if (const auto rounds = at.find("rounds")) read_whole(*rounds, o.rounds, 1, 1000);
  if (const auto warm = at.find("warm_l2")) o.measure.cold_l2 = !warm->boolean();
  if (const auto racing = at.find("racing")) o.racing = racing->boolean();
  if (const auto profile = at.find("profile"); profile && profile->is(JsonValue::Kind::text))
    if (const auto read = read_profile_scope(profile->text(), o.profile); !read) profile->error(read.error().message);
  if (const auto metrics = at.find("metrics")) o.metrics = metrics->text();
  if (const auto objective = at.find("objective")) read_objective(*objective, o.objective);
  if (const auto energy = at.find("energy")) o.energy = energy->boolean();
  if (const auto baseline = at.find("baseline")) o.baseline = baseline->boolean();
  if (const auto allowed = at.find("allow_build")) o.allow_build = allowed->boolean();
  if (const auto timeout = at.find("compile_timeout_s")) read_seconds(*timeout, o.compile_timeout_s);
  if (const auto timeout = at.find("evaluate_timeout_s")) read_seconds(*timeout, o.evaluate_timeout_s);
}

} // namespace warptune::cli

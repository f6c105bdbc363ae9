#include "cli/sweep_problems.h"

#include "core/text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace warptune::cli {
namespace {

// The items of a list, or the value itself if it is not a list.
std::vector<JsonCursor> one_or_more(const JsonCursor& cursor, const char* what) {
  if (!cursor.is(JsonValue::Kind::list)) return {cursor};
  return filled_list(cursor, what);
}

// "nt", or a number for a flag whose values are numbers.
std::optional<std::int64_t> read_label(const JsonCursor& at, const Flag& flag) {
  const bool number = at.is(JsonValue::Kind::integer);
  const std::string label = number                         ? std::to_string(at.integer())
                            : at.is(JsonValue::Kind::text) ? at.text()
                                                           : std::string();
  const auto found = std::find(flag.labels.begin(), flag.labels.end(), label);
  if (found != flag.labels.end()) return flag.values[static_cast<std::size_t>(found - flag.labels.begin())];
  at.expected("a value of the flag '" + flag.name + "' (" + join_choices(flag.labels) + ")");
  return std::nullopt;
}

} // namespace

std::vector<JsonCursor> filled_list(const JsonCursor& cursor, const std::string& what) {
  auto items = cursor.items();
  if (cursor.is(JsonValue::Kind::list) && items.empty()) cursor.expected(what + " with at least one entry");
  return items;
}

std::vector<SuiteEntry> read_shapes(const JsonCursor& job, const KernelSpec& spec) {
  std::vector<SuiteEntry> shapes;
  const auto given = job.find("shapes"), suite = job.find("suite");
  if (!given && !suite && has_fixed_shape(spec))
    shapes.push_back({smallest_shape(spec)}); // the only shape
  else if (!given && !suite)
    job.error("'shapes' and 'suite' are both missing; add one of them");
  if (given)
    for (const JsonCursor& text : one_or_more(*given, "a list of shapes")) {
      if (!text.is(JsonValue::Kind::text)) {
        text.expected("a shape such as \"" + shape_text(spec, smallest_shape(spec)) + "\"");
        continue;
      }
      if (auto sizes = parse_sizes(spec, text.text()))
        shapes.push_back({std::move(sizes->shape), {}, {}, std::move(sizes->lists)});
      else
        text.error(sizes.error().message);
    }
  if (suite)
    for (const JsonCursor& name : one_or_more(*suite, "a list of suites")) {
      std::vector<std::string> known;
      for (const auto& [known_name, unused] : spec.suites) known.push_back(known_name);
      if (const auto found = spec.suites.find(name.text()); found != spec.suites.end())
        shapes.insert(shapes.end(), found->second.begin(), found->second.end());
      else if (name.is(JsonValue::Kind::text))
        name.error(spec.name + " has no suite " + quote(name.text()) + suggest_name(name.text(), known));
    }
  return shapes;
}

std::vector<DType> read_dtypes(const JsonCursor& job, const KernelSpec& spec) {
  const auto given = job.find("dtypes");
  if (!given) return {spec.dtypes.front()};
  std::vector<DType> dtypes;
  for (const JsonCursor& name : one_or_more(*given, "a list of dtypes")) {
    if (!name.is(JsonValue::Kind::text) || name.text().empty()) {
      name.expected("a dtype's name");
      continue;
    }
    if (const auto problem = make_problem(spec, shape_text(spec, smallest_shape(spec)), name.text(), {}))
      dtypes.push_back(problem->dtype);
    else
      name.error(problem.error().message);
  }
  return dtypes;
}

std::vector<std::vector<std::int64_t>> read_flags(const JsonCursor& job, const KernelSpec& spec, std::size_t limit) {
  std::vector<std::vector<std::int64_t>> combinations(1);
  for (const Flag& flag : spec.flags) combinations.front().push_back(flag.values.front());
  const auto given = job.find("flags");
  if (!given) return combinations;
  for (const auto& [name, values] : given->members()) {
    const auto flag = std::find_if(spec.flags.begin(), spec.flags.end(),
                                   [&wanted = name](const Flag& f) { return f.name == wanted; });
    if (flag == spec.flags.end()) {
      values.error(
          spec.name + " has no flag " + quote(name) +
          (spec.flags.empty() ? "; it has no flags, so remove 'flags'" : suggest_name(name, names_of(spec.flags))));
      continue;
    }
    const auto index = static_cast<std::size_t>(flag - spec.flags.begin());
    std::vector<std::int64_t> chosen;
    for (const JsonCursor& value : one_or_more(values, "a list of values"))
      if (const auto label = read_label(value, *flag)) chosen.push_back(*label);
    std::vector<std::vector<std::int64_t>> all;
    for (const std::vector<std::int64_t>& combination : combinations)
      for (const std::int64_t value : chosen) {
        all.push_back(combination);
        all.back()[index] = value;
      }
    combinations = std::move(all);
    if (combinations.size() > limit) break; // the caller reports it
  }
  return combinations;
}

} // namespace warptune::cli

#include "cli/t1_space.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/space_output.h"
#include "core/text.h"
#include "interchange/t1.h"
#include "jit/kernel_sources.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

json value_json(const PyValue& value) {
  switch (value.kind) {
  case PyValue::Kind::integer:
    return value.integer;
  case PyValue::Kind::boolean:
    return value.integer != 0;
  case PyValue::Kind::number:
    return value.number;
  case PyValue::Kind::text:
    break;
  }
  return *value.text;
}

json positions_json(const T1& t1, const Positions& positions) {
  json out = json::object();
  for (std::size_t p = 0; p < positions.size(); ++p)
    out[t1.params[p].name] = value_json(t1.names->params[p].values[static_cast<std::size_t>(positions[p])]);
  return out;
}

// Why the configuration of all defaults is not valid; empty when it is.
std::string default_problem(const T1& t1, const SearchSpace& space) {
  for (const T1Param& param : t1.params) {
    if (param.default_label.empty()) return param.name + " has no default";
    if (!param.default_position) return quote(param.default_label) + " is not a value of " + param.name;
  }
  const Positions positions = default_positions(t1).value();
  if (space.find_positions(positions)) return "";
  Config slots;
  for (std::size_t p = 0; p < positions.size(); ++p)
    slots.push_back(space.values()[p][static_cast<std::size_t>(positions[p])]);
  for (const PythonExpr& condition : t1.conditions) {
    PyValue met;
    if (condition.evaluate(slots.data(), met) || !met.truthy()) return "it does not meet " + quote(condition.text());
  }
  return "";
}

} // namespace

bool is_space_file(const std::string& kernel) {
  std::error_code error;
  return std::filesystem::is_regular_file(kernel, error);
}

Result<int> run_t1_space(const std::string& file, std::int64_t limit, bool as_json) {
  const auto text = read_source_file(file);
  if (!text) return fail(ErrorKind::bad_input, file + ": " + text.error().message);
  if (!is_t1(*text))
    return fail(ErrorKind::bad_input, file + " is not a T1 file: it has no \"ConfigurationSpace\"; give the name of a "
                                             "kernel, a kernel folder or a T1 file");
  WT_TRY(const auto t1, parse_t1(*text, file));
  const auto space = SearchSpace::build(make_space_model(t1));
  if (!space) return fail(space.error().kind, file + ": " + space.error().message);
  const std::string problem = default_problem(t1, *space);
  const std::optional<Positions> standard = default_positions(t1);
  const std::int64_t shown = shown_of(*space, limit);
  if (as_json) {
    json out = space_json(*space);
    out["kernel"] = t1.name;
    out["file"] = file;
    out["default"] = {{"config", standard ? positions_json(t1, *standard) : json(nullptr)},
                      {"valid", problem.empty()},
                      {"why_not", or_null(problem)}};
    for (SpaceCursor at(*space); !at.done() && at.index() < shown; at.next())
      out["configs"].push_back(positions_json(t1, at.positions()));
    out["notes"] = json::array();
    print_json(out);
    return 0;
  }
  print("{} from {}\n", sanitize(t1.name), sanitize(file));
  const std::string shown_default = standard ? config_text(t1, *standard) : "none";
  print_space_facts(*space, shown_default + (problem.empty() ? " (valid)" : ""));
  if (!problem.empty()) print("  the default is not valid here: {}\n", sanitize(problem));
  print_rejections(*space);
  if (shown > 0) print("\nfirst {} of {}\n", shown, space->size());
  for (SpaceCursor at(*space); !at.done() && at.index() < shown; at.next())
    print("  {}\n", sanitize(config_text(t1, at.positions())));
  return 0;
}

} // namespace warptune::cli

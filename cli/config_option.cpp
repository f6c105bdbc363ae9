#include "cli/config_option.h"

#include "cli/asked_problem.h"
#include "cli/config_choice.h"
#include "core/text.h"
#include "space/space.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

Result<std::size_t> choose_implementation(const KernelSpec& spec, const nlohmann::json& config) {
  if (!spec.has_choice() || !config.contains(kImplementation)) return std::size_t{0};
  const nlohmann::json& name = config.at(kImplementation);
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (name == spec.implementations[i].name) return i;
  return fail(ErrorKind::bad_input, fmt::format("{} has no implementation {}; choose {}", spec.name, name.dump(),
                                                join_choices(spec.params.front().labels)));
}

Result<Config> parse_json_config(const KernelSpec& spec, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail(ErrorKind::bad_input,
                fmt::format("--config {} is not a JSON object; write {{\"NAME\": value, ...}}", text));
  WT_TRY(const std::size_t chosen, choose_implementation(spec, json));
  const Implementation& implementation = spec.implementations[chosen];
  std::vector<std::string> names;
  for (const OwnParam& own : implementation.params) names.push_back(spec.params[own.index].name);
  std::map<std::string, std::string> given;
  for (const auto& [name, value] : json.items()) {
    if (spec.has_choice() && name == kImplementation) continue;
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail(ErrorKind::bad_input,
                  fmt::format("{} has no parameter {}{}", spec.name, quote(name), suggest_name(name, names)));
    if (!value.is_number_integer() && !value.is_string())
      return fail(ErrorKind::bad_input, fmt::format("the value of {} in --config is not a whole number", name));
    given[name] = value.is_string() ? value.get<std::string>() : std::to_string(value.get<std::int64_t>());
  }
  // What is not given keeps its default.
  std::string pairs = spec.has_choice() ? std::string(kImplementation) + "=" + implementation.name : "";
  for (const OwnParam& own : implementation.params) {
    const Param& param = spec.params[own.index];
    const auto found = given.find(param.name);
    pairs += (pairs.empty() ? "" : ",") + param.name + "=" +
             (found == given.end() ? param.text_of(own.default_value) : found->second);
  }
  return parse_config(spec, pairs);
}

Result<NamedConfig> read_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes) {
  const KernelSpec& spec = asked.kernel.spec;
  if (text == "default") return NamedConfig{default_config(spec), "default"};
  if (text == "best") {
    WT_TRY(auto choice, choose_config(asked, device, database, notes, true));
    return NamedConfig{choice.selection.config,
                       fmt::format("best: {}: {}", match_name(choice.selection.match), choice.selection.why)};
  }
  WT_TRY(auto config, text.starts_with('{') ? parse_json_config(spec, text) : parse_config(spec, text));
  return NamedConfig{std::move(config), "as given"};
}

} // namespace

Result<NamedConfig> find_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes) {
  auto named = read_config(text, asked, device, database, notes);
  if (!named) return named;
  if (auto invalid = check_config(asked.kernel.spec, asked.problem, device, named->config))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is not valid for {} on {}: {}", config_text(asked.kernel.spec, named->config),
                            short_problem(asked.key()), device.name, *invalid));
  return named;
}

} // namespace warptune::cli

#include "cli/config_option.h"

#include "cli/asked_problem.h"
#include "cli/config_choice.h"
#include "core/text.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using Given = std::map<std::string, std::string>; // a param, or kImplementation -> a value

bool has_param(const KernelSpec& spec, const Implementation& implementation, const std::string& name) {
  return std::any_of(implementation.params.begin(), implementation.params.end(),
                     [&](const OwnParam& own) { return spec.params[own.index].name == name; });
}

// The named implementation, else the first that has all given params, else the first.
Result<std::size_t> choose_implementation(const KernelSpec& spec, const Given& given) {
  const auto name = given.find(kImplementation);
  if (!spec.has_choice()) return std::size_t{0};
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    const Implementation& implementation = spec.implementations[i];
    if (name == given.end() ? std::all_of(given.begin(), given.end(),
                                          [&](const auto& pair) { return has_param(spec, implementation, pair.first); })
                            : name->second == implementation.name)
      return i;
  }
  if (name == given.end()) return std::size_t{0};
  return fail(ErrorKind::bad_input, fmt::format("{} has no implementation {}; choose {}", spec.name,
                                                quote(name->second), join_choices(spec.params.front().labels)));
}

// Params that are not given keep their defaults.
Result<Config> complete(const KernelSpec& spec, const Given& given) {
  WT_TRY(const std::size_t chosen, choose_implementation(spec, given));
  const Implementation& implementation = spec.implementations[chosen];
  std::string pairs = spec.has_choice() ? std::string(kImplementation) + "=" + implementation.name : "";
  std::vector<std::string> names;
  for (const OwnParam& own : implementation.params) {
    const Param& param = spec.params[own.index];
    names.push_back(param.name);
    const auto found = given.find(param.name);
    pairs += (pairs.empty() ? "" : ",") + param.name + "=" +
             (found == given.end() ? param.text_of(own.default_value) : found->second);
  }
  for (const auto& [name, value] : given)
    if (!(spec.has_choice() && name == kImplementation) && !has_param(spec, implementation, name))
      return fail(ErrorKind::bad_input,
                  fmt::format("{} has no parameter {}{}", spec.name, quote(name), suggest_name(name, names)));
  return parse_config(spec, pairs);
}

Result<Config> parse_json_config(const KernelSpec& spec, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail(ErrorKind::bad_input,
                fmt::format("--config {} is not a JSON object; write {{\"NAME\": value, ...}}", text));
  Given given;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_integer() && !value.is_string())
      return fail(ErrorKind::bad_input,
                  fmt::format("the value of {} in --config must be a whole number or a string", name));
    given[name] = value.is_string() ? value.get<std::string>() : std::to_string(value.get<std::int64_t>());
  }
  return complete(spec, given);
}

// A stored text may name params by their former names, so it is read as a whole first.
Result<Config> parse_text_config(const KernelSpec& spec, const std::string& text) {
  auto whole = parse_config(spec, text);
  if (whole) return whole;
  Given given;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) return whole;
    const std::string name(trim(piece.substr(0, equals)));
    if (!given.emplace(name, trim(piece.substr(equals + 1))).second) return whole;
  }
  return complete(spec, given);
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
  WT_TRY(auto config, text.starts_with('{') ? parse_json_config(spec, text) : parse_text_config(spec, text));
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

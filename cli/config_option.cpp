#include "cli/config_option.h"

#include "core/text.h"
#include "space/space.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

Result<Config> parse_json_config(const KernelSpec& spec, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail(ErrorKind::bad_input,
                fmt::format("--config {} is no JSON object; write {{\"NAME\": value, ...}}", text));
  std::vector<std::string> names;
  for (const Param& param : spec.params) names.push_back(param.name);
  Config config = default_config(spec);
  for (const auto& [name, value] : json.items()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return fail(ErrorKind::bad_input,
                  fmt::format("{} has no parameter {}{}", spec.name, quote(name), suggest_name(name, names)));
    if (!value.is_number_integer())
      return fail(ErrorKind::bad_input, fmt::format("the value of {} in --config is no whole number", name));
    config[static_cast<std::size_t>(found - names.begin())] = value.get<std::int64_t>();
  }
  return parse_config(spec, config_text(spec, config)); // as strict with the values
}

Result<NamedConfig> read_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes) {
  const KernelSpec& spec = asked.kernel.spec;
  if (text == "default") return NamedConfig{default_config(spec), "default"};
  if (text == "best") {
    WT_TRY(auto choice, choose_config(asked, device, database, notes));
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
                            asked.key(), device.name, *invalid));
  return named;
}

} // namespace warptune::cli

// A configuration as text, and whether it is valid on its own (without a space).
#include "spec/config.h"

#include "core/text.h"

#include <algorithm>

namespace warptune {
namespace {

std::string list_values(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::int64_t v : values) texts.push_back(std::to_string(v));
  constexpr std::size_t kListed = 16;
  if (texts.size() > kListed) {
    texts.resize(kListed);
    texts.emplace_back("...");
  }
  return join_choices(texts);
}

} // namespace

std::string config_text(const KernelSpec& spec, const Config& config) {
  std::string text;
  for (std::size_t i = 0; i < spec.params.size() && i < config.size(); ++i)
    text += (i ? "," : "") + spec.params[i].name + "=" + std::to_string(config[i]);
  return text;
}

Result<Config> parse_config(const KernelSpec& spec, std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, "configuration " + quote(text) + " of " + spec.name + ": " + why);
  };
  std::vector<std::string> names;
  for (const Param& param : spec.params) names.push_back(param.name);
  Config config(names.size());
  std::vector<bool> given(names.size());
  if (!trim(text).empty()) {
    for (const std::string_view piece : split(text, ',')) {
      const std::size_t equals = piece.find('=');
      if (equals == std::string_view::npos) return refuse(quote(piece) + " is not NAME=VALUE");
      const std::string_view name = trim(piece.substr(0, equals));
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) return refuse("unknown param " + quote(name) + suggest_name(name, names));
      const auto index = static_cast<std::size_t>(found - names.begin());
      if (given[index]) return refuse("the param '" + *found + "' is given twice; give it once");
      given[index] = true;
      const std::vector<std::int64_t>& values = spec.params[index].values;
      const std::string_view number = trim(piece.substr(equals + 1));
      const bool parsed = parse_integer(number, config[index]) == IntegerError::none;
      if (!parsed || std::find(values.begin(), values.end(), config[index]) == values.end())
        return refuse(quote(number) + " is no value of '" + *found + "'; choose " + list_values(values));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!given[i]) return refuse("the param '" + names[i] + "' is missing; add " + names[i] + "=VALUE");
  return config;
}

Config default_config(const KernelSpec& spec) {
  Config config;
  for (const Param& param : spec.params) config.push_back(param.default_value);
  return config;
}

std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config) {
  if (config.size() != spec.params.size())
    return "it has " + std::to_string(config.size()) + " values, and " + spec.name + " has " +
           std::to_string(spec.params.size()) + " params";
  std::vector<std::int64_t> slots = make_slots(spec, problem, device.limits);
  for (std::size_t i = 0; i < config.size(); ++i) {
    const Param& param = spec.params[i];
    if (std::find(param.values.begin(), param.values.end(), config[i]) == param.values.end())
      return std::to_string(config[i]) + " is no value of " + param.name;
    slots[static_cast<std::size_t>(spec.first_param_slot) + i] = config[i];
  }
  for (const Constraint& constraint : spec.constraints) {
    const Result<std::int64_t> value = constraint.expr.evaluate(slots);
    if (!value) return constraint.why + " (" + value.error().message + ")";
    if (*value == 0) return constraint.why;
  }
  return std::nullopt;
}

} // namespace warptune

// A configuration as text, and whether it is valid on its own (without a space).
#include "spec/config.h"

#include "core/text.h"

#include <algorithm>

namespace warptune {
namespace {

struct Given {
  std::string_view name, value;
};

std::string list_values(const Param& param, const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::int64_t v : values) texts.push_back(param.text_of(v));
  constexpr std::size_t kListed = 16;
  if (texts.size() > kListed) {
    texts.resize(kListed);
    texts.emplace_back("...");
  }
  return join_choices(texts);
}

bool has(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::optional<std::int64_t> parse_value(const Param& param, std::string_view text) {
  for (std::size_t i = 0; i < param.labels.size(); ++i)
    if (param.labels[i] == text) return param.values[i];
  std::int64_t value = 0;
  if (!param.labels.empty() || parse_integer(text, value) != IntegerError::none) return std::nullopt;
  return value;
}

// Reads the pairs of a configuration as values of the params of its implementation.
class ConfigReader {
 public:
  ConfigReader(const KernelSpec& spec, std::string_view text) : spec_(spec), text_(text) {}

  Result<Config> read_text() {
    WT_CHECK(split_pairs());
    return read();
  }

  Result<Config> read_values(const std::vector<NamedValue>& values) {
    for (const NamedValue& pair : values) given_.push_back({pair.name, pair.value});
    return read();
  }

 private:
  Result<Config> read() {
    WT_TRY(const std::size_t index, implementation());
    const Implementation& implementation = spec_.implementations[index];
    Config config = default_config(spec_, index);
    std::vector<bool> given(spec_.params.size());
    if (spec_.has_choice()) given.front() = true;
    for (const Given& pair : given_) {
      if (spec_.has_choice() && pair.name == kImplementation) continue;
      const auto found = std::find_if(spec_.params.begin(), spec_.params.end(),
                                      [&](const Param& param) { return param.name == pair.name; });
      const auto param = static_cast<std::size_t>(found - spec_.params.begin());
      const OwnParam* own = found == spec_.params.end() ? nullptr : implementation.find_param(param);
      if (!own && former_ && (found != spec_.params.end() || is_former(implementation, pair.name)))
        continue; // only former texts have these: params that no longer exist, or those of other implementations
      if (!own) return unknown(implementation, pair.name);
      if (given[param]) return refuse("the param '" + found->name + "' is given twice; give it once");
      given[param] = true;
      const auto value = parse_value(*found, pair.value);
      if (!value || !has(own->values, *value))
        return refuse(quote(pair.value) + " is not a value of '" + found->name + "'; choose " +
                      list_values(*found, own->values));
      config[param] = *value;
    }
    for (const OwnParam& own : implementation.params)
      if (!given[own.index]) {
        const std::string& name = spec_.params[own.index].name;
        return refuse("the param '" + name + "' is missing; add " + name + "=VALUE");
      }
    return config;
  }

  tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(ErrorKind::bad_input, "configuration " + quote(text_) + " of " + spec_.name + ": " + why);
  }

  Result<void> split_pairs() {
    if (trim(text_).empty()) return {};
    for (const std::string_view piece : split(text_, ',')) {
      const std::size_t equals = piece.find('=');
      if (equals == std::string_view::npos) return refuse(quote(piece) + " is not NAME=VALUE");
      given_.push_back({trim(piece.substr(0, equals)), trim(piece.substr(equals + 1))});
    }
    return {};
  }

  const Given* find_given(std::string_view name) const {
    const auto found = std::find_if(given_.begin(), given_.end(), [&](const Given& pair) { return pair.name == name; });
    return found == given_.end() ? nullptr : &*found;
  }

  static bool is_former(const Implementation& implementation, std::string_view name) {
    return std::any_of(implementation.formerly.begin(), implementation.formerly.end(),
                       [&](const auto& former) { return former.first == name; });
  }

  // Whether these pairs are a former text of the implementation. If the rules of several apply, the longest one
  // decides.
  bool is_former_text_of(const Implementation& implementation) const {
    return former_rule_size(implementation) > 0 &&
           std::all_of(implementation.formerly.begin(), implementation.formerly.end(), [&](const auto& former) {
             const Given* pair = find_given(former.first);
             return former.second.empty() || (pair && pair->value == former.second);
           });
  }

  static std::ptrdiff_t former_rule_size(const Implementation& implementation) {
    return std::count_if(implementation.formerly.begin(), implementation.formerly.end(),
                         [](const auto& former) { return !former.second.empty(); });
  }

  // The implementation that is named; else the one whose former text this is; else, for texts from before there was a
  // choice, the first with exactly these params.
  Result<std::size_t> implementation() {
    const std::vector<Implementation>& all = spec_.implementations;
    if (const Given* named = spec_.has_choice() ? find_given(kImplementation) : nullptr) {
      const Param& choice = spec_.params.front();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == named->value) return i;
      return refuse(quote(named->value) + " is not an implementation of this kernel; choose " +
                    list_values(choice, choice.values));
    }
    std::optional<std::size_t> former;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_former_text_of(all[i]) && (!former || former_rule_size(all[i]) > former_rule_size(all[*former])))
        former = i;
    former_ = former.has_value();
    if (former) return *former;
    if (!spec_.has_choice()) return std::size_t{0};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool same = all[i].params.size() == given_.size() &&
                        std::all_of(all[i].params.begin(), all[i].params.end(), [&](const OwnParam& own) {
                          return find_given(spec_.params[own.index].name) != nullptr;
                        });
      if (same) return i;
    }
    return refuse("it does not name an implementation; add " + std::string(kImplementation) + "=NAME, where NAME is " +
                  list_values(spec_.params.front(), spec_.params.front().values));
  }

  tl::unexpected<Error> unknown(const Implementation& implementation, std::string_view name) const {
    std::vector<std::string> names;
    for (const OwnParam& own : implementation.params) names.push_back(spec_.params[own.index].name);
    const std::string of = spec_.has_choice() ? " of the implementation " + implementation.name : std::string();
    return refuse("unknown param " + quote(name) + of + suggest_name(name, names));
  }

  const KernelSpec& spec_;
  std::string_view text_;
  std::vector<Given> given_;
  bool former_ = false;
};

std::optional<std::string> check_values(const KernelSpec& spec, const Implementation& implementation,
                                        const Config& config) {
  for (std::size_t i = spec.has_choice() ? 1 : 0; i < config.size(); ++i) {
    const Param& param = spec.params[i];
    const OwnParam* own = implementation.find_param(i);
    if (own && !has(own->values, config[i])) return param.text_of(config[i]) + " is not a value of " + param.name;
    if (!own && config[i] != param.default_value)
      return param.name + " is not a param of the implementation " + implementation.name;
  }
  return std::nullopt;
}

} // namespace

std::string config_text(const KernelSpec& spec, const Config& config) {
  std::string text;
  const Implementation& implementation = spec.implementation(config);
  for (std::size_t i = 0; i < spec.params.size() && i < config.size(); ++i) {
    const bool is_choice = i == 0 && spec.has_choice();
    if (!is_choice && !implementation.find_param(i)) continue;
    text += (text.empty() ? "" : ",") + spec.params[i].name + "=" + spec.params[i].text_of(config[i]);
  }
  return text;
}

Result<Config> parse_config(const KernelSpec& spec, std::string_view text) {
  return ConfigReader(spec, text).read_text();
}

Result<Config> make_config(const KernelSpec& spec, const std::vector<NamedValue>& values) {
  std::string text; // the text, for errors
  for (const NamedValue& pair : values) text += (text.empty() ? "" : ",") + pair.name + "=" + pair.value;
  return ConfigReader(spec, text).read_values(values);
}

Config default_config(const KernelSpec& spec, std::size_t implementation) {
  Config config;
  for (const Param& param : spec.params) config.push_back(param.default_value);
  if (spec.has_choice()) config.front() = spec.params.front().values[implementation];
  for (const OwnParam& own : spec.implementations[implementation].params) config[own.index] = own.default_value;
  return config;
}

std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config) {
  if (config.size() != spec.params.size())
    return "it has " + std::to_string(config.size()) + " values, and " + spec.name + " has " +
           std::to_string(spec.params.size()) + " params";
  if (spec.has_choice() && !has(spec.params.front().values, config.front()))
    return std::to_string(config.front()) + " is not an implementation";
  const Implementation& implementation = spec.implementation(config);
  if (auto wrong = check_values(spec, implementation, config)) return wrong;
  std::vector<std::int64_t> slots = make_slots(spec, problem, device.limits);
  std::copy(config.begin(), config.end(), slots.begin() + spec.first_param_slot);
  for (const OwnParam& own : implementation.params) {
    if (!own.when || config[own.index] == own.default_value) continue;
    const Param& param = spec.params[own.index];
    const Result<std::int64_t> active = own.when->evaluate(slots);
    if (!active) return "the condition of " + param.name + " cannot be computed: " + active.error().message;
    if (*active == 0)
      return param.name + " has no effect here, because " + own.when->text() +
             " does not hold; it must keep its default, " + param.text_of(own.default_value);
  }
  for (const Constraint& constraint : implementation.constraints) {
    const Result<std::int64_t> value = constraint.expr.evaluate(slots);
    if (!value) return constraint.expr.text() + " cannot be computed: " + value.error().message;
    if (*value == 0) return constraint.expr.text() + " does not hold: " + constraint.why;
  }
  return std::nullopt;
}

Config default_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    const Implementation& implementation = spec.implementations[i];
    if (i > 0 && (!implementation.library_calls.empty() || implementation.build)) continue;
    if (Config config = default_config(spec, i); !check_config(spec, problem, device, config)) return config;
  }
  return default_config(spec);
}

} // namespace warptune

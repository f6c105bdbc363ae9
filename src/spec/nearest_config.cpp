#include "spec/nearest_config.h"

#include "core/text.h"
#include "spec/config.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warptune {

Config nearest_config(const KernelSpec& spec, std::string_view text) {
  if (auto same = parse_config(spec, text)) return std::move(*same);
  std::map<std::string_view, std::int64_t> given;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    std::int64_t value = 0;
    if (equals != std::string_view::npos && parse_integer(piece.substr(equals + 1), value) == IntegerError::none)
      given.emplace(piece.substr(0, equals), value);
  }
  Config config;
  for (const Param& param : spec.params) {
    const auto found = given.find(param.name);
    const auto wanted = static_cast<double>(found == given.end() ? param.default_value : found->second);
    const auto distance = [&](std::int64_t value) {
      const auto v = static_cast<double>(value);
      return v > 0 && wanted > 0 ? std::abs(std::log2(v / wanted)) : std::abs(v - wanted);
    };
    config.push_back(*std::min_element(param.values.begin(), param.values.end(),
                                       [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); }));
  }
  return config;
}

} // namespace warptune

#include "report/config_json.h"

#include "core/text.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace warptune::report {

nlohmann::json config_json(const std::string& text) {
  using nlohmann::json;
  json out = json::object();
  if (text.empty()) return out;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    std::int64_t number = 0;
    out[std::string(part.substr(0, equals))] =
        parse_integer(value, number) == IntegerError::none ? json(number) : json(std::string(value));
  }
  return out;
}

} // namespace warptune::report

#include "predict/valid_near_default.h"

#include "space/space.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace warptune {
namespace {

// The values of a param, nearest to its default first.
std::vector<std::int64_t> values_around_default(const OwnParam& param) {
  const auto middle = std::find(param.values.begin(), param.values.end(), param.default_value) - param.values.begin();
  std::vector<std::int64_t> values = param.values;
  const auto steps = [&](std::int64_t value) {
    return std::abs(std::find(param.values.begin(), param.values.end(), value) - param.values.begin() - middle);
  };
  std::stable_sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) { return steps(a) < steps(b); });
  return values;
}

// Configurations tried around the default, and again across the space, before the search gives up: with a hundred
// params, even two changes give too many combinations.
constexpr int kMaxTries = 4096;

// Searches a valid configuration that differs from an implementation's default in `changes` of its params, from `first`
// on. Decrements `tries`.
bool change_params(const SelectionLimits& limits, const std::vector<OwnParam>& params, std::size_t first, int changes,
                   Config& config, int& tries) {
  if (changes == 0) return --tries >= 0 && !limits.refuse(config);
  for (std::size_t i = first; i < params.size(); ++i) {
    const OwnParam& param = params[i];
    for (const std::int64_t value : values_around_default(param)) {
      if (value == param.default_value) continue;
      config[param.index] = value;
      if (change_params(limits, params, i + 1, changes - 1, config, tries)) return true;
      if (tries <= 0) break;
    }
    config[param.index] = param.default_value;
    if (tries <= 0) break;
  }
  return false;
}

} // namespace

Result<std::optional<ValidConfig>> valid_near_default(const SelectionLimits& limits) {
  Config config = default_config(limits.spec);
  int tries = kMaxTries;
  for (const int changes : {1, 2}) {
    if (!change_params(limits, limits.spec.implementations.front().params, 0, changes, config, tries)) continue;
    return ValidConfig{config, "the valid configuration nearest to the default (" + std::to_string(changes) +
                                   (changes == 1 ? " param changed)" : " params changed)")};
  }
  WT_TRY(auto space, SearchSpace::build(limits.spec, limits.problem, limits.device));
  const ConfigIndex looked_at = std::min<ConfigIndex>(space.size(), kMaxTries);
  for (ConfigIndex i = 0; i < looked_at; ++i) {
    config = space.config(i * (space.size() / looked_at)); // evenly spaced
    if (!limits.refuse(config)) return ValidConfig{config, "the first valid configuration that was found"};
  }
  return std::nullopt;
}

} // namespace warptune

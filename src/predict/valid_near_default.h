// A bounded search for a configuration that may be launched, used if no default may be launched.
#pragma once

#include "core/result.h"
#include "predict/selection_limits.h"

#include <optional>
#include <string>

namespace warptune {

struct ValidConfig {
  Config config;
  std::string which; // "the valid configuration nearest to the default (1 param changed)"
};

// Returns a valid configuration near the default, otherwise from anywhere in the space. nullopt: the search found none.
Result<std::optional<ValidConfig>> valid_near_default(const SelectionLimits& limits);

} // namespace warptune

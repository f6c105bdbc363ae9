// Selects a configuration for a problem for which no tuning result can be used.
#pragma once

#include "core/result.h"
#include "predict/selection_limits.h"

#include <string>

namespace warptune {

// Tries the shortest expected time if that is allowed, then the default, then the defaults of other implementations,
// then SelectOptions::others, or a search if `others` is null. `because`: why no result can be used. Error:
// no_candidate if none of these may be launched.
Result<Selection> select_untuned(const SelectionLimits& limits, const std::string& because);

} // namespace warptune

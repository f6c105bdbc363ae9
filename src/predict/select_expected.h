// The rule `expected time` of predict/select.h: a choice by the shortest expected time (predict/shortest_expected.h).
#pragma once

#include "predict/selection_limits.h"

#include <optional>
#include <string>

namespace warptune {

// Chooses for a problem for which no result can be used; `because` says why. nullopt: the rule is not allowed, there is
// no estimate, or no expected time is sufficiently shorter than that of the default.
std::optional<Selection> select_expected(const SelectionLimits& limits, const std::string& because);

// The results of other shapes may lack whole implementations that are faster here. Returns the configuration with the
// shortest expected time, if that is sufficiently shorter than that of the rule's choice; otherwise the rule's choice.
// Only authors' formulas count, which were fitted to measured times.
Selection or_faster(const SelectionLimits& limits, Selection chosen);

} // namespace warptune

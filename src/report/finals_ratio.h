// Divides the default's time by the winner's, both from the rounds of a session's finals. Pure.
#pragma once

#include "core/statistics.h"
#include "db/records.h"

#include <optional>
#include <string>

namespace warptune::report {

struct FinalsRatio {
  Ratio ratio;          // the default's time divided by the winner's
  std::string measured; // "interleaved in 15 rounds of the finals of session 3"
};

// Returns nullopt if the default was not in the finals, or if no round has both times.
std::optional<FinalsRatio> ratio_of_finals(const BestRecord& best);

} // namespace warptune::report

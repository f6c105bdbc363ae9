// The ratio of the default's time to the winner's, from the rounds of a session's finals. Pure.
#pragma once

#include "core/statistics.h"
#include "db/records.h"

#include <optional>
#include <string>

namespace warptune::report {

struct FinalsRatio {
  Ratio ratio;          // the default's time over the winner's
  std::string measured; // "interleaved in 15 rounds of the finals of session 3"
};

// nullopt if the default took no part in the finals, or no round has both times.
std::optional<FinalsRatio> ratio_of_finals(const BestRecord& best);

} // namespace warptune::report

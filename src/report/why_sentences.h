// The sentences of `warptune why`.
#pragma once

#include "report/why.h"

#include <string>
#include <vector>

namespace warptune::report {

inline constexpr double kExplained = 0.5; // a cause must account for at least this share of the difference

// Returns the one or two longer waits that explain at least kExplained of the difference, largest first. Returns none
// if there are no such waits, or if other waits became shorter by at least kExplained of the difference.
std::vector<StallDifference> explaining_stalls(const Why& why);

// Whether the ratio (from interleaved rounds) and the two single times disagree about which configuration is slower.
// They may disagree if the times are close. If they disagree, no cause can be stated.
bool times_contradict(const WhyFacts& facts);

// Returns sentences with the ratio, the limits, the cause and the next limit. Does not read why.verdict.
std::string why_verdict(const WhyFacts& facts, const Why& why);

} // namespace warptune::report

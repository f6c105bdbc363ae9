// The sentences of `warptune why`.
#pragma once

#include "report/why.h"

#include <string>
#include <vector>

namespace warptune::report {

inline constexpr double kExplained = 0.5; // a cause must account for at least this share of the difference

// Returns at most two waits: the largest of the waits that became longer. Their sum must be at least kExplained of the
// difference, and larger than the sum by which other waits became shorter. Otherwise returns none.
std::vector<StallDifference> explaining_stalls(const Why& why);

// Whether the ratio (from interleaved rounds) and the two single times disagree about which configuration is slower.
// They may disagree if the times are close. In this case no cause can be stated.
bool times_contradict(const WhyFacts& facts);

// Returns sentences with the ratio, the limits, the cause and the next limit. Does not read why.verdict.
std::string why_verdict(const WhyFacts& facts, const Why& why);

} // namespace warptune::report

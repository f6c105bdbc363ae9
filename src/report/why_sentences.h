// The sentences of `warptune why`.
#pragma once

#include "report/why.h"

#include <string>
#include <vector>

namespace warptune::report {

inline constexpr double kExplained = 0.5; // share of the difference from which it counts as explained

// Returns the largest waits that became more frequent (at most two), if together they account for at least kExplained
// of the difference and the waits that became shorter account for less; otherwise none.
std::vector<StallDifference> explaining_stalls(const Why& why);

// Whether the ratio of interleaved rounds and the two times disagree on which configuration is slower. This may happen
// if they are close. Then nothing explains the difference, because it is not known which one is slower.
bool times_contradict(const WhyFacts& facts);

// Ratio, limits, cause and next limit. Uses all of `why` except its verdict.
std::string why_verdict(const WhyFacts& facts, const Why& why);

} // namespace warptune::report

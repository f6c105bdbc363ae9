// The sentences of `warptune why`.
#pragma once

#include "report/why.h"

#include <string>
#include <vector>

namespace warptune::report {

inline constexpr double kExplained = 0.5; // a part of the difference above which it counts as explained

// The waits that became more frequent, at most the two largest, if they account for kExplained of the difference
// together, and the waits that became shorter for less than that; otherwise none.
std::vector<StallDifference> explaining_stalls(const Why& why);

// Ratio, limits, cause and next limit. Uses all of `why` except its verdict.
std::string why_verdict(const WhyFacts& facts, const Why& why);

} // namespace warptune::report

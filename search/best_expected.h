// Finds the configurations with the shortest expected times (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// Returns at most `count` configurations, fastest first. Considers all configurations or, in a large space, a sample.
// If some configurations have an author's estimate, leaves out configurations with only a roofline. A roofline is more
// optimistic, so these configurations would come first.
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

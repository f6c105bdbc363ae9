// Finds the configurations with the shortest expected times (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// Returns at most `count` configurations, fastest first. Considers all configurations or, in a large space, a sample.
// If some configurations have an author's estimate, leaves out the others: their roofline estimates are more
// optimistic, so they would come first.
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

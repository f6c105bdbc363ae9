// Finds the configurations that are fastest according to the kernel author's estimate (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// Returns at most `count` configurations, fastest first. Considers all configurations or, in a large space, a sample.
// Leaves out those without an author's estimate, because a roofline is too optimistic and its ranking is too coarse to
// start from (docs/knowledge.md).
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

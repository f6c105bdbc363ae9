// Finds the configurations that the kernel's author expects to be fastest (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// Returns at most `count` configurations, the fastest first, from all configurations or from a sample of a large space.
// Configurations without an author's estimate are left out: a roofline ranks too coarsely to start from
// (docs/knowledge.md) and is too optimistic.
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

// The configurations that are expected to be the fastest, where something is expected (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// At most `count`, the fastest first: of all configurations, or of a sample of a large space.
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

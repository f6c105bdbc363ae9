// A start that is spread over the space: from its middle on, each configuration as far as possible from those before
// it. Hears of no observation.
#pragma once

#include "search/draws.h"
#include "search/features.h"

#include <vector>

namespace warptune {

// At most `count` different configurations, in the order to try them: of a uniform sample the one nearest to its mean,
// then the one farthest from all taken so far, by the distance of the params (greedy maximin design, Kennard and Stone
// 1969). Farthest are corners, and corners alone say little of what lies between them.
std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws);

// At most `count` of `given`, in the order to try them: the first, then the one farthest from all taken so far.
std::vector<ConfigIndex> spread(const std::vector<ConfigIndex>& given, const Features& features, std::size_t count);

} // namespace warptune

// Start configurations spread over the space: starting at its middle, each is as far as possible from the earlier ones.
// Ignores observations.
#pragma once

#include "search/draws.h"
#include "search/features.h"

#include <vector>

namespace warptune {

// Returns at most `count` different configurations of a uniform sample, in the order to try them: first the one nearest
// to the sample's mean, then the one farthest from all taken so far, by the distance of the params (greedy maximin
// design, Kennard and Stone 1969). The middle comes first, because the farthest configurations are corners, which tell
// little about the space between them.
std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws);

// Returns at most `count` of `given`, in the order to try them: first given[0], then the one farthest from all taken so
// far.
std::vector<ConfigIndex> spread(const std::vector<ConfigIndex>& given, const Features& features, std::size_t count);

} // namespace warptune

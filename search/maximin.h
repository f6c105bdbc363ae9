// Start configurations that are spread over the space: the first is in the middle of the space, and each further one is
// as far as possible from all earlier ones. Ignores observations.
#pragma once

#include "search/draws.h"
#include "search/features.h"

#include <vector>

namespace warptune {

// Returns at most `count` configurations of a uniform sample, in the order to try them. If too few configurations of
// the sample have some value of a category (a param whose values are not numbers), the sample is extended. The first
// configuration is the one nearest to the sample's mean. Each next one is the farthest from all chosen ones, by the
// distance of the params (greedy maximin design, Kennard and Stone 1969). The first one is central, because the
// farthest configurations are corners, which say little about the space between them.
std::vector<ConfigIndex> maximin_start(const SearchSpace& space, const Features& features, std::size_t count,
                                       Draws& draws);

// Returns at most `count` of `given`, in the order to try them: first given[0], then repeatedly the one that is
// farthest from all chosen ones.
std::vector<ConfigIndex> spread(const std::vector<ConfigIndex>& given, const Features& features, std::size_t count);

} // namespace warptune

// The configurations that the kernel's author expects to be the fastest (search/knowledge.h).
#pragma once

#include "search/draws.h"
#include "search/knowledge.h"

#include <vector>

namespace warptune {

// At most `count`, the fastest first: of all configurations, or of a sample of a large space. None without an author's
// estimate: a roofline ranks too roughly to start from (docs/knowledge.md).
std::vector<ConfigIndex> best_expected(const SearchSpace& space, const Knowledge& knowledge, std::size_t count,
                                       Draws& draws);

} // namespace warptune

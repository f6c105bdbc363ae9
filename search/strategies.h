// The constructors of all strategies, for the registry alone. A new strategy is one .cpp, one line here and one in the
// table of registry.cpp.
#pragma once

#include "search/strategy.h"

namespace warptune {

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t seed);
std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed);

} // namespace warptune

// Config: one candidate as values, and its place among the valid ones.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params

// Position among the valid configurations, in lexicographic order of the positions of their values. Where groups of
// params that no constraint ties together take turns in the spec and the tree would be large in that order, the order
// is that of the params put together group by group.
using ConfigIndex = std::int64_t;

} // namespace warptune

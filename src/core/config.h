// Config: the values of one candidate. ConfigIndex: the position of a Config among the valid ones.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params

// Position in the list of valid configurations, sorted lexicographically by the positions of their values. Params are
// normally compared in the order of the spec. If groups of params that share no constraint are interleaved in the spec
// and the tree would become large, the params of each group are placed together.
using ConfigIndex = std::int64_t;

} // namespace warptune

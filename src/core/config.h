// Config: one value per param, which together describe one candidate. ConfigIndex: the position of a Config in the list
// of valid ones.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params

// A position in the list of all valid configurations, in lexicographic order: each param's values are ordered as the
// spec lists them, and params are normally compared in the order of the spec. Exception: if the spec interleaves groups
// of params that share no constraint and the search tree would become large, the params of each group are placed
// together.
using ConfigIndex = std::int64_t;

} // namespace warptune

// Config: one value for each param. ConfigIndex: the position of a configuration in the list of all valid
// configurations.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params

// A position in the list of all valid configurations. The list is in lexicographic order. The values of a param, and
// normally also the params, have the order of the spec. Exception: if the spec interleaves groups of params that share
// no constraint, and the search tree would become large, the params of each group are placed together.
using ConfigIndex = std::int64_t;

} // namespace warptune

// Config: the values of one candidate. ConfigIndex: its position among the valid candidates.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params

// Position among the valid configurations, in lexicographic order of the positions of their values. The params are in
// the order of the spec. Exception: if params of groups that share no constraint alternate there and the tree would
// become large, each group's params are put together.
using ConfigIndex = std::int64_t;

} // namespace warptune

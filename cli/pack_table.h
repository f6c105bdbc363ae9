// The tables of `pack`: one row per kernel variant and device.
#pragma once

#include "cli/table.h"
#include "pack/inspect.h"

#include <vector>

namespace warptune::cli {

Table pack_table(const std::vector<PackRule>& rules, const std::vector<UntunedShare>& untuned); // of a new pack
Table pack_table(const std::vector<PackedVariant>& variants);                                   // of `pack list`

} // namespace warptune::cli

// Each file of search/strategies/ defines its entry, as WT_STRATEGY(<file name>) { return {...}; } in namespace
// warptune.
#pragma once

#include "search/strategy.h"

#include <vector>

#define WT_STRATEGY(name) StrategyEntry strategy_##name()

namespace warptune {

std::vector<StrategyEntry> strategy_table(); // this table is generated: one entry per file, sorted by name

} // namespace warptune

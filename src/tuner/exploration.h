// Exploration: what the strategy is told beforehand, and the trials that it proposes until it, the budget or a stop
// rule ends the search. How candidates travel through compilers and device is pipeline.h's matter.
#pragma once

#include "core/result.h"
#include "search/strategy.h"
#include "space/space.h"
#include "tuner/session_work.h"

namespace warptune {

// Empty for a session that tries everything: it has no use for it. The work and the space must outlive it.
Result<Knowledge> learn(SessionWork& work, const SearchSpace& space);

// Fills the book. Nothing is left to do for a session whose trials an earlier run has completed.
Result<void> explore(SessionWork& work, const SearchSpace& space, Strategy& strategy);

} // namespace warptune

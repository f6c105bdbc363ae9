// Exploration: gathers the knowledge for the strategy, and runs the trials that it proposes until the strategy, the
// budget or a stop rule ends the search. pipeline.h moves candidates through compilers and the device.
#pragma once

#include "core/result.h"
#include "search/strategy.h"
#include "space/space.h"
#include "tuner/session_work.h"

namespace warptune {

// Returns the knowledge for the strategy; empty for a session that tries every configuration, because it needs none.
// `work` and `space` must outlive the result.
Result<Knowledge> learn(SessionWork& work, const SearchSpace& space);

// Fills work.book. Does nothing if an earlier run has completed the session's trials.
Result<void> explore(SessionWork& work, const SearchSpace& space, Strategy& strategy);

} // namespace warptune

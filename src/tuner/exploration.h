// Exploration: the search of a session. First gathers the strategy's knowledge. Then runs the trials that the strategy
// proposes, until the strategy, the budget or a stop rule ends the search. pipeline.h moves candidates through
// compilers and device.
#pragma once

#include "core/result.h"
#include "search/strategy.h"
#include "space/space.h"
#include "tuner/session_work.h"

namespace warptune {

// Returns the strategy's knowledge. It is empty for a session that tries every configuration, because such a session
// needs no knowledge. `work` and `space` must outlive the result.
Result<Knowledge> learn(SessionWork& work, const SearchSpace& space);

// Adds the trials to work.book. Does nothing if an earlier run completed the session's exploration.
Result<void> explore(SessionWork& work, const SearchSpace& space, Strategy& strategy);

} // namespace warptune

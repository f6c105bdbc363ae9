// Counting: the last step of a session. It decides which trials get hardware counters and which metrics; profiling.h
// reads the counters.
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Reads counters of trials that have none yet. A session is valid without counters, so a failure only adds a note.
Result<void> count_trials(SessionWork& work);

} // namespace warptune

// Counting: the last step of a session. It decides which trials are profiled, and with which metrics; profiling.h reads
// the counters.
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Reads counters for trials that have none yet. A session is valid without counters, so a failure only adds a note.
Result<void> count_trials(SessionWork& work);

} // namespace warptune

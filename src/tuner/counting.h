// Counting: the last step of a session. Decides which metrics are read, and for which trials. profiling.h reads them.
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Reads counters for trials that have none. A session is valid without counters, so a failure only adds a note.
Result<void> count_trials(SessionWork& work);

} // namespace warptune

// Counting: the last step of a session. Which of its trials get counters, and which metrics; how they are read is
// profiling.h's matter.
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Of those that have none yet. Without any a session is as good as before, so that is a note.
Result<void> count_trials(SessionWork& work);

} // namespace warptune

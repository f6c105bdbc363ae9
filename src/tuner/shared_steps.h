// Decides which of the processes that share a search (shared_search.h) runs the finals.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Call it after the exploration. true: this process runs the finals, and work.book has the trials of all processes.
// false: another process has run them and work.result has its winner, or the session was interrupted.
Result<bool> enter_finals(SessionWork& work);

} // namespace warptune

// The step of a session that shares its search with other processes (shared_search.h): who holds the finals.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Call it after the exploration. true: this process holds the finals, and work.book has the trials of all processes.
// false: another process has held them, and work.result has its winner; or the session was interrupted.
Result<bool> enter_finals(SessionWork& work);

} // namespace warptune

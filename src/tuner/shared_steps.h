// Decides which of the processes that share a search (shared_search.h) runs the finals.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Call this after the search. Returns true if this process runs the finals; work.book then has the trials of all
// processes. Returns false if the session was interrupted, or if another process has run the finals (work.result then
// has the winner).
Result<bool> enter_finals(SessionWork& work);

} // namespace warptune

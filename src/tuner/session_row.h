// Opens the session's row in the database, with the data of earlier runs, and closes it with the session's final state.
#pragma once

#include "core/result.h"
#include "space/space.h"
#include "tuner/session_work.h"

namespace warptune {

// Stores the device, the kernel and the session's row. With --resume, adds the trials of earlier runs to work.book.
Result<void> open_session(SessionWork& work, const SearchSpace& space);

// For a session that an earlier run finished: takes the winner that the earlier run stored.
void take_known_best(SessionWork& work);

// Stores the session's final state. `tuned`: how the session's steps ended.
Result<void> close_session(SessionWork& work, const Result<void>& tuned);

} // namespace warptune

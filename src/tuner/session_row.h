// The session's row in the database: opened with what earlier runs left of it, and closed with the session's last
// state. Measures nothing.
#pragma once

#include "core/result.h"
#include "space/space.h"
#include "tuner/session_work.h"

namespace warptune {

// The device, the kernel and the session's row; with --resume its trials so far go into the book.
Result<void> open_session(SessionWork& work, const SearchSpace& space);

// Of a session that an earlier run finished: its best, as it was certified then.
void take_known_best(SessionWork& work);

// Marks the session's row; `tuned` is what came of its steps.
Result<void> close_session(SessionWork& work, const Result<void>& tuned);

} // namespace warptune

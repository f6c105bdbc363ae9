// Certification: finds and stores the best configuration of a session's trials. It runs the finals, measures energy if
// requested, and checks the winner. If the winner fails, it is disqualified and the next winner is checked, until a
// winner passes. If the fastest trial that is left was not in the finals, new finals are held. finals.h, energy.h and
// winner_checks.h do the measuring.
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Sets work.result.best. If the session is stopped, marks the session as interrupted and uses the best configuration so
// far. Errors: no_candidate if no configuration is left; otherwise the device or the database can no longer be used.
Result<void> certify(SessionWork& work);

} // namespace warptune

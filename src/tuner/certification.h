// Certification: from the trials of a session to its stored best. Finals, energy where it is wanted and the winner's
// checks, again and again until a winner passes; each that fails is out, and the next takes its place. Measures nothing
// itself (finals.h, energy.h, winner_checks.h).
#pragma once

#include "tuner/session_work.h"

namespace warptune {

// Fills in the result's best, or, when stopped, marks the session interrupted with the best so far. Error: of kind
// no_candidate when no configuration is left; else the device or the database cannot be used any more.
Result<void> certify(SessionWork& work);

} // namespace warptune

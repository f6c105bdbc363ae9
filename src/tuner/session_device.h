// Finds the facts that a session needs about its device: the device's description, the cost of the problem on it, and
// its roofs. Opens the ledger when the device is known. Does not depend on candidates.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Sets the device of work.result, and the problem's cost. Errors: from the device, the requested metrics or the
// database.
Result<void> describe_device(SessionWork& work);

// Finds the roofs. The roofs belong to the device, so they are measured once for all sessions on the device. A session
// is valid without roofs, so a failed measurement only adds a note.
Result<void> find_roofs(SessionWork& work);

// Returns the shortest time in us that the device's roofs allow; 0 if no roof is known.
double floor_us(const SessionWork& work);

} // namespace warptune

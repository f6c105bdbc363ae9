// Finds the facts about a session's device: its description, the cost of the problem, and its roofs. Opens the ledger
// once the device is described. Does not depend on candidates.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Fills in the result's device and the problem's cost. Errors come from the device, the requested metrics or the
// database.
Result<void> describe_device(SessionWork& work);

// Finds the roofs. Roofs belong to the device and are measured once for all its sessions. A session is valid without
// roofs, so a failed measurement only adds a note.
Result<void> find_roofs(SessionWork& work);

// Returns the shortest time that the device's roofs allow; 0 if no roof is known.
double floor_us(const SessionWork& work);

} // namespace warptune

// What a session learns of its device: what it is, what the problem costs there, its roofs. The ledger is opened here,
// as soon as the device has answered. Knows no candidate.
#pragma once

#include "core/result.h"
#include "tuner/session_work.h"

namespace warptune {

// Fills in the result's device and the problem's cost. Error: of the device, the metrics asked for, or the database.
Result<void> describe_device(SessionWork& work);

// Roofs are a property of the device, measured once for all sessions on it. Without them a session is as good as
// before, so that is a note.
Result<void> find_roofs(SessionWork& work);

// The shortest time that the device's roofs allow; 0 where none is known.
double floor_us(const SessionWork& work);

} // namespace warptune

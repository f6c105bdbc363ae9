// Describes the device's behaviour during the finals: as sentences for the user, and as rows of the result.
#pragma once

#include "db/final_rounds.h"
#include "tuner/finals.h"

#include <string>
#include <vector>

namespace warptune {

// Adds notes on rounds at the board's power cap (their number and the range of the clock) and on rounds with a fault of
// the device (their number and the fault).
std::vector<std::string> device_notes(const FinalsReport& report);

// Returns one row for each counted round. `standard` and `baseline` are null if there is no such finalist.
std::vector<FinalRound> stored_rounds(const FinalsReport& report, const Finalist& winner, const Finalist* standard,
                                      const Finalist* baseline);

} // namespace warptune

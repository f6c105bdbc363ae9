// The device's behaviour during the finals: as sentences for the user, and as rows of the result.
#pragma once

#include "db/final_rounds.h"
#include "tuner/finals.h"

#include <string>
#include <vector>

namespace warptune {

// Notes on the number of rounds at the board's power cap, with the range of the clock, and of rounds with a fault of
// the device, with the kind of fault.
std::vector<std::string> device_notes(const FinalsReport& report);

// One row for each round that counted. `standard` and `baseline` are null if there is no such finalist.
std::vector<FinalRound> stored_rounds(const FinalsReport& report, const Finalist& winner, const Finalist* standard,
                                      const Finalist* baseline);

} // namespace warptune

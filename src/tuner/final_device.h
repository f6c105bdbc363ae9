// What the device did in the finals: as sentences for the user, and as rows of the result.
#pragma once

#include "db/final_rounds.h"
#include "tuner/finals.h"

#include <string>
#include <vector>

namespace warptune {

// Rounds at the board's power cap, with the range of the clock; rounds that a fault of the device spoilt, and which.
std::vector<std::string> device_notes(const FinalsReport& report);

// One for each round that counted. Null: there is no such finalist.
std::vector<FinalRound> stored_rounds(const FinalsReport& report, const Finalist& winner, const Finalist* standard,
                                      const Finalist* baseline);

} // namespace warptune

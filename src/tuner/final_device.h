// Describes how the device behaved during the finals: in sentences for the user, and in rows of the result.
#pragma once

#include "db/final_rounds.h"
#include "tuner/finals.h"

#include <string>
#include <vector>

namespace warptune {

// Returns at most two notes. The first: in how many rounds the board was at its power cap, and its clock's range in
// these rounds. The second: in how many rounds the device had a fault, and which fault.
std::vector<std::string> device_notes(const FinalsReport& report);

// Returns one row per counted round. `standard` (the default) and `baseline` are null if they are not among the
// finalists.
std::vector<FinalRound> stored_rounds(const FinalsReport& report, const Finalist& winner, const Finalist* standard,
                                      const Finalist* baseline);

} // namespace warptune

// Results that other rows of the same database contradict: an edited or damaged file may name a winner whose trial is
// not there, or was never correct. Such a result is disqualified like one that a check found wrong: it is listed with
// the reason, and it is not launched.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::db {

// An expression: 0, or a number below 0 that says what contradicts the row of best that `alias` names. Not for packs,
// which hold only the trials that their rule needs.
std::string contradiction_of(const std::string& alias);
std::string why_contradicted(RowId number); // a clause

} // namespace warptune::db

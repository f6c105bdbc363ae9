// Results that other rows of the same database contradict: for example, an edited or damaged file names a winner whose
// trial is missing or was never correct. Such a result is disqualified as if a check had found it wrong: it is listed
// with the reason, and never launched.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::db {

// An SQL expression: 0, or a number below 0 for the contradiction of the row of best that `alias` names. Do not use it
// for packs, which hold only the trials that their rule needs.
std::string contradiction_of(const std::string& alias);
std::string why_contradicted(RowId number); // a clause

} // namespace warptune::db

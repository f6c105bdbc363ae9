// Finds results that other rows of the same database contradict. For example, in an edited or damaged file the winner's
// trial may be missing or not correct. Such a result is treated like a result that a re-check found wrong: commands
// list it with the reason, and applications never launch it.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::db {

// Returns an SQL expression for a row of the table `best` with this alias. Its value is 0, or a negative number that
// identifies the contradiction. Do not use this expression for packs, because a pack has only the trials that its rule
// needs.
std::string contradiction_of(const std::string& alias);
std::string why_contradicted(RowId number); // the reason as a clause; `number`: from contradiction_of

} // namespace warptune::db

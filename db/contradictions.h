// Finds results that other rows of the same database contradict. For example, in an edited or damaged file the winner's
// trial may be missing, or was never correct. Such a result is treated as one that a check found wrong: it is listed
// with the reason, and never launched.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::db {

// Returns an SQL expression for the row of `best` called `alias`: 0, or a negative number that stands for a
// contradiction. Do not use it for packs, which have only those trials that their rule needs.
std::string contradiction_of(const std::string& alias);
std::string why_contradicted(RowId number); // a clause; `number`: from contradiction_of

} // namespace warptune::db

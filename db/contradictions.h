// Finds results that other rows of the same database contradict: for example, the winner's trial in an edited or
// damaged file is missing or was never correct. Such a result is treated as if a check had found it wrong: it is listed
// with the reason, and never launched.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::db {

// Returns an SQL expression for the `best` row that `alias` names: 0, or a negative number that identifies its
// contradiction. Do not use it for packs, which contain only the trials that their rule needs.
std::string contradiction_of(const std::string& alias);
std::string why_contradicted(RowId number); // a clause

} // namespace warptune::db

// Checks whether a row to merge is plausible, by the same rules as the readers (db/true_rows.h).
#pragma once

#include "db/merge_rows.h"

namespace warptune::db {

bool can_be_true(const Row& row);

} // namespace warptune::db

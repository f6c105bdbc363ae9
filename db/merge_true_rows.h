// Checks whether a row to merge is plausible, by its readers' rules (db/true_rows.h).
#pragma once

#include "db/merge_rows.h"

namespace warptune::db {

bool can_be_true(const Row& row);

} // namespace warptune::db
